/** The edge between list and detail: drag it, or move it with the arrow keys; a double click makes it as usual. */
import { useRef, useState } from "preact/hooks";

import { changeLayout, layout, NARROWEST_REM, resetListWidth, WIDEST_REM } from "../kit/layout";

const STEP_REM = 1;

export function Resizer() {
  const [isDragged, setDragged] = useState(false);
  const from = useRef({ x: 0, rem: 0 });
  const { listRem } = layout.value;
  const pxPerRem = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return (
    <div
      class={isDragged ? "resizer is-dragged" : "resizer"} role="separator" tabIndex={0} aria-orientation="vertical"
      aria-label="Width of the list" aria-valuemin={NARROWEST_REM} aria-valuemax={WIDEST_REM} aria-valuenow={Math.round(listRem)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const list = event.currentTarget.previousElementSibling;
        from.current = { x: event.clientX, rem: (list?.getBoundingClientRect().width ?? 0) / pxPerRem() };
        setDragged(true);
      }}
      onPointerMove={(event) => {
        if (isDragged) changeLayout({ listRem: from.current.rem + (event.clientX - from.current.x) / pxPerRem() });
      }}
      onPointerUp={() => setDragged(false)}
      onPointerCancel={() => setDragged(false)}
      onDblClick={resetListWidth}
      onKeyDown={(event) => {
        const to = {
          ArrowLeft: listRem - STEP_REM, ArrowRight: listRem + STEP_REM, Home: NARROWEST_REM, End: WIDEST_REM,
        }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        changeLayout({ listRem: to });
      }}
    />
  );
}
