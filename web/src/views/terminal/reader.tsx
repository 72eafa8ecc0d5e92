/**
 * The screen and the rows above it as text: to read at leisure, select, search, copy. It is a picture of one moment
 * and says of which; nothing in it moves.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Scrollback } from "../../api/types";
import { copyText } from "../../kit/copy";
import { age, clock } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Icon } from "../../parts/icon";
import { showToast } from "../../parts/toast";
import { clusters } from "./cells";
import { plain, runsOf, type Style } from "./ansi";
import { find, targetsIn, type Hit, type Target } from "./targets";

const FIRST_ROWS = 500;
const MOST_ROWS = 2000;

export interface ReaderProps {
  agentId: string;
  /** Letter size of the live view. */
  px: number;
  isFinding: boolean;
  onTarget(target: Target): void;
  onClose(): void;
}

export function Reader({ agentId, px, isFinding, onTarget, onClose }: ReaderProps) {
  const room = useRoom();
  const [history, setHistory] = useState<Scrollback | null>(null);
  const [trouble, setTrouble] = useState("");
  const [isAsking, setAsking] = useState(false);
  const scroll = useRef<HTMLDivElement>(null);
  const fromEnd = useRef<number | null>(0);

  const ask = async (lines: number): Promise<void> => {
    setAsking(true);
    const answer = await room.http.request<Scrollback>("GET", `/agents/${encodeURIComponent(agentId)}/scrollback`, { query: { lines } });
    setAsking(false);
    if (answer.ok) {
      const box = scroll.current;
      fromEnd.current = box === null || history === null ? 0 : box.scrollHeight - box.scrollTop;
      setHistory(answer.value);
      setTrouble("");
    } else {
      setTrouble(answer.refusal.text);
    }
  };
  useEffect(() => { void ask(FIRST_ROWS); }, [agentId]);
  useEffect(() => { // what was read stays where it is, newer rows or older ones
    const box = scroll.current;
    if (box !== null && fromEnd.current !== null) box.scrollTop = fromEnd.current === 0 ? box.scrollHeight : box.scrollHeight - fromEnd.current;
    fromEnd.current = null;
  }, [history]);

  const rows = useMemo(() => history?.ansi ?? [], [history]);
  const search = useSearch(rows, isFinding, scroll);
  const older = history === null ? 0 : Math.max(0, history.kept + history.height - rows.length);
  const firstScreenRow = history === null ? 0 : Math.max(0, rows.length - history.height);

  // Thousands of rows are drawn when they change, not with each second of the clock.
  const drawn = useMemo(() => rows.map((row, at) => (
    <Row key={`${at - rows.length}`} row={row} hits={search.byRow.get(at)} current={search.current} isFirst={at === firstScreenRow && at > 0} onTarget={onTarget} />
  )), [rows, search.byRow, search.current, firstScreenRow, onTarget]);

  const copyAll = async (): Promise<void> => {
    const chosen = String(getSelection() ?? "");
    const isInside = scroll.current?.contains(getSelection()?.anchorNode ?? null) === true;
    const text = chosen !== "" && isInside ? chosen : rows.map((row) => plain(row).trimEnd()).join("\n").trim();
    showToast({ text: (await copyText(text)) ? (chosen !== "" && isInside ? "The selection was copied" : "All rows were copied") : "This browser does not allow copying here." });
  };

  return (
    <div class="reader" role="region" aria-label="Rows as text" onKeyDown={(event) => {
      if (event.key === "Escape") { event.stopPropagation(); event.preventDefault(); onClose(); }
    }}>
      <div class="reader-find" role="search">
        <button class="icon-btn" type="button" aria-label="Back to the live screen" onClick={onClose}><Icon name="back" /></button>
        <input
          type="search" aria-label="Find in these rows" placeholder="Find" value={search.words} ref={search.field}
          onInput={(event) => search.setWords(event.currentTarget.value)}
          onKeyDown={(event) => { if (event.key === "Enter") { event.preventDefault(); search.step(event.shiftKey ? -1 : 1); } }}
        />
        <span class="count" role="status">{search.said}</span>
        <button class="icon-btn" type="button" aria-label="Find the one before" disabled={search.hits.length === 0} onClick={() => search.step(-1)}><span class="is-up"><Icon name="down" /></span></button>
        <button class="icon-btn" type="button" aria-label="Find the next" disabled={search.hits.length === 0} onClick={() => search.step(1)}><Icon name="down" /></button>
      </div>
      <div class="screen" tabIndex={0} role="group" aria-label="Rows" ref={scroll}>
        {trouble === "" ? null : (
          <p class="reader-line" role="alert">{trouble} <button class="btn btn-line" type="button" onClick={() => void ask(FIRST_ROWS)}>Try again</button></p>
        )}
        {history === null ? (trouble === "" ? <p class="reader-line">Reading the rows…</p> : null) : (
          <>
            <p class="reader-line">
              {older > 0 && rows.length < MOST_ROWS ? (
                <button class="btn btn-line" type="button" disabled={isAsking} onClick={() => void ask(Math.min(MOST_ROWS, rows.length + 1000))}>{older.toLocaleString("en-GB")} older rows</button>
              ) : <span>{older > 0 ? `${older.toLocaleString("en-GB")} older rows are on the machine only.` : history.kept === 0 ? "This pane keeps no rows above its screen." : "The pane’s history begins here."}</span>}
              {history.alternate ? <span>A full-screen program runs: what stands above its screen is older than it.</span> : null}
            </p>
            <pre style={{ fontSize: `${px}px` }}>{drawn}</pre>
          </>
        )}
      </div>
      <div class="term-tools">
        <Age atMs={history?.at_ms ?? null} />
        <button class="btn btn-plain" type="button" disabled={isAsking} onClick={() => void ask(Math.max(FIRST_ROWS, Math.min(MOST_ROWS, rows.length)))}>Read again</button>
        <button class="btn btn-plain" type="button" disabled={history === null} onClick={() => void copyAll()}><Icon name="copy" small />Copy</button>
      </div>
    </div>
  );
}

function Age({ atMs }: { atMs: number | null }) {
  const now = useRoom().now.value;
  return <span class="grow">{atMs === null ? "" : `As it was at ${clock(atMs, now)}, ${age(atMs, now)} ago`}</span>;
}

function useSearch(rows: readonly string[], isFinding: boolean, scroll: { current: HTMLElement | null }) {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const texts = useMemo(() => rows.map(plain), [rows]);
  const hits = useMemo(() => find(texts, words), [texts, words]);
  const byRow = useMemo(() => {
    const map = new Map<number, Hit[]>();
    for (const hit of hits) map.set(hit.row, [...(map.get(hit.row) ?? []), hit]);
    return map;
  }, [hits]);
  // The newest is nearest: begin at the end.
  useEffect(() => setAt(Math.max(0, hits.length - 1)), [hits]);
  const current = hits[at] ?? null;
  useEffect(() => {
    if (current !== null) scroll.current?.querySelector("mark.is-current")?.scrollIntoView({ block: "center", inline: "nearest" });
  }, [current]);
  useLayoutEffect(() => {
    if (isFinding) field.current?.focus();
    else scroll.current?.focus({ preventScroll: true });
  }, [isFinding]);
  const step = (by: number): void => {
    if (hits.length > 0) setAt((at + by + hits.length) % hits.length);
  };
  const said = words === "" ? "" : hits.length === 0 ? "Nothing" : `${at + 1} of ${hits.length}`;
  return { words, setWords, field, hits, byRow, current, step, said };
}

interface RowProps {
  row: string;
  hits: Hit[] | undefined;
  current: Hit | null;
  /** The first row of the screen, below older ones. */
  isFirst: boolean;
  onTarget(target: Target): void;
}

/** One row: its styles, what was found in it, and what can be tapped. */
function Row({ row, hits, current, isFirst, onTarget }: RowProps) {
  const runs = useMemo(() => runsOf(row), [row]);
  const targets = useMemo(() => targetsIn(plain(row)), [row]);
  const pieces: preact.JSX.Element[] = [];
  let at = 0;
  for (const run of runs) {
    const cuts = new Set<number>([0, run.text.length]);
    for (const { start, end } of [...targets, ...(hits ?? [])]) {
      for (const cut of [start - at, end - at]) if (cut > 0 && cut < run.text.length) cuts.add(cut);
    }
    const places = [...cuts].sort((a, b) => a - b);
    for (let index = 0; index + 1 < places.length; index++) {
      const from = places[index] ?? 0;
      const text = run.text.slice(from, places[index + 1]);
      const place = at + from;
      const target = targets.find(({ start, end }) => place >= start && place < end);
      const hit = hits?.find(({ start, end }) => place >= start && place < end);
      let piece = <Text text={text} />;
      if (hit !== undefined) piece = <mark class={hit === current ? "is-current" : undefined}>{piece}</mark>;
      if (target !== undefined) {
        const isFirst = place === target.start;
        piece = <button class="tap" type="button" tabIndex={isFirst ? 0 : -1} onClick={() => onTarget(target)}>{piece}</button>;
      }
      pieces.push(<span key={place} style={styleOf(run.style)}>{piece}</span>);
    }
    at += run.text.length;
  }
  return <span class={isFirst ? "row-x is-first" : "row-x"} dir="ltr">{pieces}{"\n"}</span>;
}

/** Characters of another width than the letters' are put into boxes of their cells. */
function Text({ text }: { text: string }) {
  if (/^[\u0020-\u2e7f]*$/u.test(text) && !/[\u0300-\u036f\u200d\u2300-\u2bff]/u.test(text)) return <>{text}</>;
  return (
    <>
      {clusters(text).map(({ text: cluster, cells }, at) =>
        /^[ -~]$/.test(cluster) ? cluster : <span key={at} class={cells === 2 ? "w2" : "w1"}>{cluster}</span>)}
    </>
  );
}

function styleOf(style: Style): Record<string, string | number> | undefined {
  if (Object.keys(style).length === 0) return undefined;
  const front = style.fg ?? "var(--term-fg)";
  const back = style.bg;
  const css = {
    color: style.hidden ? "transparent" : style.inverse ? (back ?? "var(--term-bg)") : (style.dim && style.fg === undefined ? "var(--term-dim)" : style.fg),
    background: style.inverse ? front : back,
    fontWeight: style.bold ? 700 : undefined,
    fontStyle: style.italic ? "italic" : undefined,
    textDecoration: [style.underline ? "underline" : "", style.strike ? "line-through" : ""].filter(Boolean).join(" ") || undefined,
  };
  return Object.fromEntries(Object.entries(css).filter((pair): pair is [string, string | number] => pair[1] !== undefined));
}
