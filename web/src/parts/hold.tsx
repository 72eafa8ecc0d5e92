/**
 * A button that answers. A risky one is held for 900 ms: letting go cancels, a short tap says so. With a keyboard or
 * assistive technology it is pressed and confirmed, with the focus on Cancel. Whatever has only just appeared or moved
 * ignores presses; a press that moved was a scroll. The decisions are `stepPress` in `store/prompt.ts`.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import { heldShare, stepPress, UP, type Press, type PressEvent } from "../store/prompt";
import { Dialog } from "./sheet";

export interface HoldButtonProps {
  /** It has to be held. */
  isRisky: boolean;
  /** The whole answer, for the confirmation. */
  label: string;
  class?: string;
  describedBy?: string;
  disabled?: boolean;
  isPressed?: boolean;
  /** Whether it has stood still long enough to be pressed; asked at the moment of the press. */
  isSettled(): boolean;
  onAnswer(): void;
  /** Gets what to say in place of "Hold" at its end. */
  children(how: string): ComponentChildren;
  /** What the confirmation says of its risk. */
  note?: string;
  /** Asked for by a key: a risky one shows its confirmation when this moves. */
  pressedByKey?: number;
}

const HINT_MS = 2500;

export function HoldButton(props: HoldButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const press = useRef<Press>(UP);
  const frame = useRef(0);
  const wasPointer = useRef(false);
  const [how, setHow] = useState("");
  const [isAsking, setAsking] = useState(false);
  const latest = useRef(props);
  latest.current = props;

  const show = (): void => button.current?.style.setProperty("--held", String(heldShare(press.current, performance.now())));
  const take = (event: PressEvent): void => {
    const [next, outcome] = stepPress(press.current, event);
    press.current = next;
    show();
    if (outcome === "answer") latest.current.onAnswer();
    if (outcome === "hint") setHow("Hold to answer");
  };
  const tick = (): void => {
    take({ type: "tick", atMs: performance.now() });
    if (press.current.at === "down") frame.current = requestAnimationFrame(tick);
  };
  const byKeyboard = (): void => {
    if (!latest.current.isSettled()) return;
    if (latest.current.isRisky) setAsking(true);
    else latest.current.onAnswer();
  };

  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  useEffect(() => {
    if (how === "") return;
    const timer = setTimeout(() => setHow(""), HINT_MS);
    return () => clearTimeout(timer);
  }, [how]);
  useEffect(() => {
    if ((props.pressedByKey ?? 0) > 0) byKeyboard();
  }, [props.pressedByKey]);

  return (
    <>
      <button
        ref={button} type="button" class={`${props.class ?? ""}${props.isRisky ? " hold" : ""}`} disabled={props.disabled}
        aria-describedby={props.describedBy} aria-pressed={props.isPressed}
        onPointerDown={(event) => {
          if (event.button !== 0 || !event.isPrimary || isVirtual(event)) return;
          wasPointer.current = true;
          take({ type: "down", x: event.clientX, y: event.clientY, atMs: performance.now(), isRisky: props.isRisky, isSettled: props.isSettled() });
          if (props.isRisky) {
            button.current?.setPointerCapture(event.pointerId);
            cancelAnimationFrame(frame.current);
            frame.current = requestAnimationFrame(tick);
          }
        }}
        onPointerMove={(event) => take({ type: "move", x: event.clientX, y: event.clientY })}
        onPointerUp={() => take({ type: "up", atMs: performance.now() })}
        onPointerCancel={() => take({ type: "cancel" })}
        onPointerLeave={() => { if (!props.isRisky) take({ type: "cancel" }); }}
        onContextMenu={(event) => { if (props.isRisky) event.preventDefault(); }}
        onClick={(event) => {
          // Pointers have had their say by now; what is left are keyboards and assistive technology.
          if (wasPointer.current && event.detail !== 0) wasPointer.current = false;
          else byKeyboard();
        }}
      >
        {props.children(how)}
      </button>
      {isAsking ? (
        <Confirm label={props.label} note={props.note ?? PROMPT_NOTE} onCancel={() => setAsking(false)} onConfirm={() => { setAsking(false); latest.current.onAnswer(); }} />
      ) : null}
    </>
  );
}

/** Presses that screen readers make out of a double tap have no size, or no pressure. */
function isVirtual(event: PointerEvent): boolean {
  return event.width === 0 && event.height === 0
    || event.width === 1 && event.height === 1 && event.pressure === 0 && event.detail === 0 && event.pointerType === "mouse";
}

const PROMPT_NOTE = "It may not be possible to take this back. The prompt is read again just before.";

function Confirm(props: { label: string; note: string; onCancel(): void; onConfirm(): void }) {
  const id = useId();
  const cancel = useRef<HTMLButtonElement>(null);
  // At once, never later: whoever has gone on to the answer by then would press Cancel.
  useLayoutEffect(() => cancel.current?.focus(), []);
  return (
    <Dialog class="sheet" labelledBy={id} onClose={props.onCancel} closesOutside={true}>
      <header class="sheet-head"><h2 id={id}>Answer <bdi>“{props.label}”</bdi>?</h2></header>
      <div class="sheet-body"><p class="md second">{props.note}</p></div>
      <footer class="sheet-foot">
        <button ref={cancel} class="btn btn-line" type="button" autofocus onClick={props.onCancel}>Cancel</button>
        <button class="btn btn-fault" type="button" onClick={props.onConfirm}>Answer</button>
      </footer>
    </Dialog>
  );
}
