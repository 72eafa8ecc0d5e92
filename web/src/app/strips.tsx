/** What stands between the person and the truth, one strip at a time. */
export function Strips() {
  return null;
}
