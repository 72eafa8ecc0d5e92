/** The chief's tab. Until there is one: what was done, by whom, and what was on the screen. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Operation, Receipt, Receipts } from "../../api/types";
import { addressOf } from "../../store/routes";
import { clock, fullTime, isSameDay } from "../../kit/time";
import { block, line } from "../../kit/text";
import { useRoom } from "../../live/room";
import { Empty } from "../../parts/empty";
import { Icon } from "../../parts/icon";
import { Title } from "../../parts/title";
import { isUnderWay } from "../../store/operations";
import { newestFirst, wordsOf } from "../../store/receipts";
import { OperationAct, OperationCard, useOperations } from "../operations/card";

const PAGE = 100;

export function Chief() {
  const room = useRoom();
  const fetched = useSignal<readonly Receipt[]>([]);
  const hasMore = useSignal(true);
  const trouble = useSignal<string | null>(null);
  const isAsking = useSignal(false);
  const told = useComputed(() => room.state.value.receipts).value;
  const all = newestFirst(fetched.value, told);
  const operations = useOperations();
  const underWay = [...operations.values()].filter(isUnderWay).sort((one, other) => other.created_at_ms - one.created_at_ms);

  const older = async (signal?: AbortSignal): Promise<void> => {
    if (isAsking.value && signal === undefined) return;
    isAsking.value = true;
    const before = fetched.value.at(0)?.seq ?? Number.MAX_SAFE_INTEGER;
    const answer = await room.http.request<Receipts>("GET", "/receipts", { query: { before, limit: PAGE }, ...(signal ? { signal } : {}) });
    if (signal?.aborted) return;
    isAsking.value = false;
    trouble.value = answer.ok ? null : answer.refusal.text;
    if (!answer.ok) return;
    fetched.value = [...answer.value.receipts, ...fetched.value];
    hasMore.value = answer.value.more === true;
  };
  const { epoch } = room.state.value;
  useEffect(() => {
    fetched.value = []; // what happened between two fleets nobody told: from the newest on again, without a gap
    const abort = new AbortController();
    void older(abort.signal);
    return () => abort.abort();
  }, [epoch]);

  return (
    <section class="pane pane-list" aria-label="Chief">
      <header class="head">
        <div class="head-top"><Title class="head-title">Chief</Title></div>
        <p class="head-sum">The chief does not exist yet. Here stands what was done, newest first.</p>
      </header>
      <div class="pane-scroll" tabIndex={-1} role="group" aria-label="Receipts">
        <div class="page receipts-page">
          {all.length === 0 && !isAsking.value && trouble.value === null ? <NoReceipts /> : null}
          {underWay.length === 0 ? null : (
            <section class="stack" aria-labelledby="under-way">
              <h2 class="group-head" id="under-way">Under way <span class="count">{underWay.length}</span></h2>
              {underWay.map((operation) => <OperationCard key={operation.id} operation={operation} hasName />)}
            </section>
          )}
          <ol class="receipts" aria-label="Receipts">
            {all.map((receipt, at) => (
              <ReceiptLine key={receipt.id} receipt={receipt} operation={lastOf(all, at, operations)} isFirstOfDay={!isSameDay(receipt.at_ms, all[at - 1]?.at_ms ?? 0)} />
            ))}
          </ol>
          {trouble.value === null ? null : <p class="callout callout-fault" role="alert"><Icon name="warn" /><span>{line(trouble.value)}</span></p>}
          {hasMore.value || trouble.value !== null ? (
            <p class="fab-row"><button class="btn btn-line btn-block" type="button" disabled={isAsking.value} onClick={() => void older()}>{isAsking.value ? "Asking…" : trouble.value !== null ? "Try again" : "Load earlier"}</button></p>
          ) : null}
        </div>
      </div>
    </section>
  );
}

function NoReceipts() {
  return (
    <Empty icon="chief" title={<h2>Nothing was done yet</h2>}>
      <p>Each answer, stopped turn, operation, upload and revoked device leaves a receipt here, with the device, the time and what was on the screen.</p>
    </Empty>
  );
}

/** The operation whose newest receipt this is: there it is undone, or tried again. */
function lastOf(receipts: readonly Receipt[], at: number, operations: ReadonlyMap<string, Operation>): Operation | null {
  const id = receipts[at]?.operation_id ?? null;
  if (id === null || receipts.findIndex((receipt) => receipt.operation_id === id) !== at) return null;
  const operation = operations.get(id);
  return operation === undefined || isUnderWay(operation) ? null : operation;
}

function ReceiptLine(props: { receipt: Receipt; operation: Operation | null; isFirstOfDay: boolean }) {
  const { receipt } = props;
  const { state, now } = useRoom();
  const words = wordsOf(receipt);
  const agents = useComputed(() => state.value.agents).value;
  const agent = receipt.agent_id == null ? null : agents.get(receipt.agent_id) ?? null;
  const isTakenBack = props.operation?.error?.code === "cancelled";
  const when = clock(receipt.at_ms, now.value);
  return (
    <li>
      {props.isFirstOfDay ? <p class="day">{fullTime(receipt.at_ms).replace(/,? \d\d:\d\d:\d\d$/, "")}</p> : null}
      <div class="receipt">
        <Icon name={isTakenBack ? "undo" : words.icon} />
        <div>
          <span>
            {words.what}{" "}
            {receipt.agent_id == null ? null : agent === null ? <bdi>an agent that is not listed any more</bdi>
              : <a href={addressOf({ at: "agent", agentId: agent.id })}><bdi>{line(agent.name, 80)}</bdi></a>}
            {isTakenBack ? <> <span class="tag">Taken back</span></> : words.isBad ? <> <span class="tag tag-fault">{receipt.code === "failed" ? "Failed" : "Refused"}</span></> : null}
          </span>
          <span class="why" dir="auto">{block(receipt.text, 600)}</span>
          <span class="why"><time dateTime={new Date(receipt.at_ms).toISOString()} title={fullTime(receipt.at_ms)}>{when}</time>, by <bdi>{line(words.by, 80)}</bdi>{receipt.question_id == null ? null : <> · <a href={addressOf({ at: "question", questionId: receipt.question_id })}>its card</a></>}</span>
          {receipt.screen === undefined || receipt.screen.length === 0 ? null : (
            <details class="receipt-screen">
              <summary>What was on the screen</summary>
              <pre class="ask-cmd" tabIndex={0} role="group" aria-label="The screen right before">{receipt.screen.map((row) => `${block(row, 300)}\n`).join("")}</pre>
            </details>
          )}
        </div>
        {props.operation === null ? null : <OperationAct operation={props.operation} />}
      </div>
    </li>
  );
}
