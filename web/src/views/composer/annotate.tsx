/** Drawing on a picture before it is sent: with a finger, a pen or a mouse. Loaded when it is asked for. */
import { useEffect, useRef, useState } from "preact/hooks";

import { Sheet } from "../../parts/sheet";

export interface AnnotateProps {
  name: string;
  load(): Promise<Blob | null>;
  onDone(bytes: Blob): void;
  onClose(): void;
}

interface Stroke {
  color: string;
  width: number;
  points: [number, number][];
}

/** Larger pictures are made smaller: a phone's canvas ends at 16 million pixels. */
const LONGEST_SIDE = 2560;
const COLORS: readonly (readonly [string, string])[] = [
  ["#d6281f", "Red"], ["#ffb52e", "Yellow"], ["#1473e6", "Blue"], ["#161b21", "Black"], ["#ffffff", "White"],
];

export function Annotate(props: AnnotateProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useRef<ImageBitmap | null>(null);
  const strokes = useRef<Stroke[]>([]);
  const [color, setColor] = useState("#d6281f");
  const [count, setCount] = useState(0);
  const [problem, setProblem] = useState("");

  useEffect(() => {
    let isThere = true;
    void props.load().then(async (bytes) => {
      const image = bytes === null ? null : await createImageBitmap(bytes).catch(() => null);
      if (!isThere) return image?.close();
      if (image === null) return setProblem("This picture cannot be opened.");
      picture.current = image;
      const scale = Math.min(1, LONGEST_SIDE / Math.max(image.width, image.height));
      const board = canvas.current;
      if (board === null) return;
      board.width = Math.max(1, Math.round(image.width * scale));
      board.height = Math.max(1, Math.round(image.height * scale));
      paint();
    });
    return () => {
      isThere = false;
      picture.current?.close();
    };
  }, []);

  const paint = (): void => {
    const board = canvas.current;
    const context = board?.getContext("2d");
    if (!board || !context || picture.current === null) return;
    context.drawImage(picture.current, 0, 0, board.width, board.height);
    for (const stroke of strokes.current) draw(context, stroke);
  };
  const at = (event: PointerEvent): [number, number] => {
    const board = canvas.current;
    const box = board?.getBoundingClientRect();
    if (!board || !box || box.width === 0) return [0, 0];
    return [((event.clientX - box.left) * board.width) / box.width, ((event.clientY - box.top) * board.height) / box.height];
  };
  const down = (event: PointerEvent): void => {
    const board = canvas.current;
    if (board === null || event.button !== 0) return;
    board.setPointerCapture(event.pointerId);
    const box = board.getBoundingClientRect();
    strokes.current.push({ color, width: (5 * board.width) / Math.max(box.width, 1), points: [at(event)] });
    paint();
  };
  const move = (event: PointerEvent): void => {
    if (!canvas.current?.hasPointerCapture(event.pointerId)) return;
    strokes.current.at(-1)?.points.push(at(event));
    paint();
  };
  const up = (): void => setCount(strokes.current.length);
  const undo = (): void => {
    strokes.current.pop();
    setCount(strokes.current.length);
    paint();
  };
  const done = (): void => {
    if (count === 0) return props.onClose();
    canvas.current?.toBlob((bytes) => (bytes === null ? setProblem("The picture cannot be kept.") : props.onDone(bytes)), "image/png");
  };
  return (
    <Sheet
      title="Draw on the picture" closesOutside={false} onClose={props.onClose}
      foot={
        <>
          <button class="btn btn-line" type="button" disabled={count === 0} onClick={undo}>Undo</button>
          <button class="btn btn-primary" type="button" onClick={done}>Done</button>
        </>
      }
    >
      <div class="pens" role="group" aria-label="Colour">
        {COLORS.map(([value, name]) => (
          <button key={value} class="pen" type="button" aria-pressed={value === color} aria-label={name} onClick={() => setColor(value)}>
            <span style={{ background: value }} />
          </button>
        ))}
      </div>
      {problem === "" ? null : <p class="bad" role="alert">{problem}</p>}
      <canvas
        ref={canvas} class="board" aria-label={`${props.name}, to draw on`} role="img"
        onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={up}
      />
    </Sheet>
  );
}

function draw(context: CanvasRenderingContext2D, stroke: Stroke): void {
  context.strokeStyle = stroke.color;
  context.lineWidth = stroke.width;
  context.lineCap = "round";
  context.lineJoin = "round";
  context.beginPath();
  const [first, ...rest] = stroke.points;
  if (first === undefined) return;
  context.moveTo(...first);
  if (rest.length === 0) context.lineTo(first[0] + 0.01, first[1]);
  for (const point of rest) context.lineTo(...point);
  context.stroke();
}
