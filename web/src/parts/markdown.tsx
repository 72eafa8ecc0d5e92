/**
 * Markdown of agents on the page: vnodes out of `store/markdown.ts`, never HTML. Links lead to http, https and mailto
 * only, open outside, and say where when their words do not; nothing is loaded from anywhere.
 */
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";

import { block } from "../kit/text";
import { parseInline, parseMarkdown, type Block, type Inline } from "../store/markdown";
import { Code } from "./code";

/** A whole reply. */
export function Markdown(props: { text: string }) {
  return useMemo(() => <>{parseMarkdown(block(props.text)).map(blockNode)}</>, [props.text]);
}

/** One line or paragraph, without blocks. */
export function InlineMarkdown(props: { text: string }) {
  return useMemo(() => <>{parseInline(block(props.text)).map(inlineNode)}</>, [props.text]);
}

function blockNode(node: Block, at: number): VNode {
  switch (node.t) {
    case "p": return <p key={at} dir="auto">{node.kids.map(inlineNode)}</p>;
    // A reply is a part of a page that has its own headings: its words are strong, its ranks are not the page's.
    case "h": return <p key={at} dir="auto" class={node.level <= 2 ? "md-h md-h1" : "md-h"} role="heading" aria-level={Math.min(6, node.level + 2)}>{node.kids.map(inlineNode)}</p>;
    case "code": return <Code key={at} text={node.text} lang={node.lang} />;
    case "hr": return <hr key={at} class="md-rule" />;
    case "quote": return <blockquote key={at} class="md-quote">{node.blocks.map(blockNode)}</blockquote>;
    case "table": return <Table key={at} head={node.head} rows={node.rows} />;
    case "list": {
      const items = node.items.map((item, row) => (
        <li key={row} class={item.checked === null ? undefined : "md-task"}>
          {item.checked === null ? null : <span class="md-box" role="img" aria-label={item.checked ? "done" : "not done"}>{item.checked ? "☑" : "☐"}</span>}
          {item.blocks.map((inner, place) => (inner.t === "p" ? <span key={place} dir="auto" class="md-item">{inner.kids.map(inlineNode)}</span> : blockNode(inner, place)))}
        </li>
      ));
      return node.ordered ? <ol key={at} start={node.start}>{items}</ol> : <ul key={at}>{items}</ul>;
    }
  }
}

function Table(props: { head: Inline[][]; rows: Inline[][][] }) {
  return (
    <div class="md-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead><tr>{props.head.map((cell, at) => <th key={at} scope="col" dir="auto">{cell.map(inlineNode)}</th>)}</tr></thead>
        <tbody>{props.rows.map((row, at) => <tr key={at}>{row.map((cell, column) => <td key={column} dir="auto">{cell.map(inlineNode)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

function inlineNode(node: Inline, at: number): ComponentChildren {
  switch (node.t) {
    case "text": return node.text;
    case "code": return <code key={at}><bdi>{node.text}</bdi></code>;
    case "br": return <br key={at} />;
    case "strong": return <strong key={at}>{node.kids.map(inlineNode)}</strong>;
    case "em": return <em key={at}>{node.kids.map(inlineNode)}</em>;
    case "del": return <del key={at}>{node.kids.map(inlineNode)}</del>;
    case "path": return <span key={at} class="md-path">{node.kids.map(inlineNode)}{node.path === "" ? null : <> (<bdi>{node.path}</bdi>)</>}</span>;
    case "link": return (
      <a key={at} href={node.href} target="_blank" rel="noopener noreferrer nofollow" title={node.href}>
        <bdi>{node.kids.map(inlineNode)}</bdi>
        {node.target === null ? null : <span class="md-target"> (<bdi>{node.target}</bdi>)</span>}
      </a>
    );
  }
}
