/** The product's mark, on pages that stand alone. */
export function GateMark() {
  const dots = [[16, 16], [28, 16], [40, 16], [16, 28], [28, 28], [16, 40], [28, 40], [40, 40]];
  return (
    <svg class="mark" viewBox="0 0 56 56" aria-hidden="true">
      <rect width="56" height="56" rx="14" fill="#161b21" />
      <g fill="#46515d">{dots.map(([x, y]) => <circle key={`${x} ${y}`} cx={x} cy={y} r="3.5" />)}</g>
      <circle cx="40" cy="28" r="6" fill="#ffb52e" />
    </svg>
  );
}
