/** The sheet of an operation on an agent: what it would drop, where to, why, and what happens. */
import { useId, useState } from "preact/hooks";

import type { Agent, AskOperation, OperationArgs } from "../../api/types";
import { go, route } from "../../kit/navigate";
import { line } from "../../kit/text";
import { clock } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Sheet } from "../../parts/sheet";
import { showToast } from "../../parts/toast";
import { actLabel, dropWords, kindWords, lossesOf, operationWords, planNote, planOf, underWayOf, type AgentAct } from "../../store/operations";
import { oneLine, useAsking, useFields, type Asking } from "./asking";
import { useOperations } from "./card";
import { Choices, Note, TextField, Trouble, Why } from "./fields";
import { useTargets, Where } from "./where";
import type { Wish } from "./wish";

export interface AgentSheetProps {
  agent: Agent;
  wish: Extract<Wish, { agentId: string }>;
  onClose(): void;
}

const LONGEST_NAME = 80;

export function AgentOperation(props: AgentSheetProps) {
  return props.wish.kind === "move" ? <MoveSheet {...props} /> : <OtherSheet {...props} />;
}

function OtherSheet(props: AgentSheetProps) {
  return <Form {...props} asking={useAsking(props.wish)} profile={null} suggestedWhy="" />;
}

/** With what only a move has: places, and the policy's opinion. */
function MoveSheet(props: AgentSheetProps) {
  const asking = useAsking(props.wish);
  const [chosen, setChosen] = useState(asking.lost?.args?.profile ?? props.wish.profileId ?? null);
  const around = useTargets(props.agent);
  const suggested = around.targets.find((target) => target.isSuggested);
  const target = around.targets.find((one) => one.profile.id === (chosen ?? suggested?.profile.id) && one.isPossible) ?? null;
  return (
    <Form {...props} asking={asking} profile={target === null ? null : { id: target.profile.id, name: target.profile.name }} suggestedWhy={target?.isSuggested === true ? around.why : ""}>
      {(isFixed) => <Where around={around} chosen={target?.profile.id ?? null} disabled={isFixed} onChoose={setChosen} />}
    </Form>
  );
}

interface FormProps extends AgentSheetProps {
  asking: Asking;
  /** Where a move goes; null: not chosen, or no move. */
  profile: { id: string; name: string } | null;
  /** A why that is known. */
  suggestedWhy: string;
  children?: (isFixed: boolean) => preact.ComponentChildren;
}

function Form(props: FormProps) {
  const { agent, wish, profile, asking, onClose } = props;
  const { kind } = wish;
  const { lost } = asking;
  const typed = useFields(wish, { why: wish.why ?? "", name: kind === "rename" ? agent.name : "" });
  // What may have been asked for is shown as it was.
  const asked: Readonly<Record<string, string>> = lost === null ? {} : { why: lost.why, touched: "yes", name: lost.args?.name ?? "" };
  const fields = { ...typed, of: (name: string) => asked[name] ?? typed.of(name) };
  const losses = kind === "rename" ? [] : lossesOf(agent);
  const [agreed, setAgreed] = useState<readonly string[] | null>(lost?.args?.drop === true ? losses : null);
  const isGrown = agreed !== null && !losses.every((loss) => agreed.includes(loss));
  const drops = agreed !== null && !isGrown && losses.length > 0;
  const isFixed = asking.isBusy || lost !== null;
  const shownWhy = fields.of("touched") === "" ? fields.of("why") || props.suggestedWhy : fields.of("why");
  const why = oneLine(shownWhy);
  const newName = line(fields.of("name"), LONGEST_NAME);
  const isWhole = why !== "" && (kind !== "move" || profile !== null) && (kind !== "rename" || (newName !== "" && newName !== agent.name));
  const name = line(agent.name, 60) || agent.id;
  const label = actLabel(kind, agent);

  const submit = async (): Promise<void> => {
    const args: OperationArgs = {
      when: drops ? "now" : "idle", drop: drops,
      ...(kind === "rename" ? { name: newName } : {}), ...(kind === "move" && profile !== null ? { profile: profile.id } : {}),
    };
    const body: Omit<AskOperation, "id"> = { kind, why, agent_id: agent.id, args };
    const operation = await asking.ask(body);
    if (operation === null) return;
    fields.forget();
    onClose();
    const place = route.peek();
    if (place.at === "agent" && place.agentId === agent.id) return; // it is seen there
    showToast({ text: `Asked for: ${operationWords(operation).what}, ${name}`, act: { label: "Show", run: () => go({ at: "agent", agentId: agent.id }) } });
  };
  return (
    <Sheet
      title={kind === "move" ? `Move ${name} to another account` : `${label}: ${name}`} onClose={onClose} closesOutside={false}
      foot={
        <>
          <button class="btn btn-line" type="button" onClick={onClose}>Cancel</button>
          <button class={drops ? "btn btn-fault" : "btn btn-primary"} type="button" disabled={asking.isBusy || (!isWhole && lost === null)} onClick={() => void submit()}>
            {asking.isBusy ? "Asking…" : lost !== null ? "Try again" : SUBMIT[kind] ?? label}
          </button>
        </>
      }
    >
      <State agent={agent} kind={kind} />
      {props.children?.(isFixed)}
      {kind === "rename" ? <TextField label="New name" value={fields.of("name")} limit={LONGEST_NAME} disabled={isFixed} onInput={(text) => fields.set("name", text)} /> : null}
      {losses.length === 0 ? null : (
        <Choices
          name="when" label="When" disabled={isFixed} value={drops ? "now" : "idle"} onChange={(value) => setAgreed(value === "now" ? losses : null)}
          choices={[
            { value: "idle", label: "Once it is idle", words: agent.waiting_for == null ? "What it does now is finished first." : "Its dialog has to be answered first." },
            { value: "now", label: "Now", words: dropWords(losses) },
          ]}
        />
      )}
      {isGrown ? <Note icon="warn">More would be dropped than when you chose. Look again.</Note> : null}
      <Why value={shownWhy} disabled={isFixed} onInput={(text) => { fields.set("why", text); fields.set("touched", "yes"); }} />
      <Plan kind={kind} agent={agent} target={profile === null ? "" : line(profile.name, 60)} isNow={drops} losses={losses} />
      <Trouble asking={asking} />
    </Sheet>
  );
}

const SUBMIT: Partial<Record<AgentAct, string>> = { rename: "Rename", move: "Move", restart: "Restart", fresh: "Fresh session", stop: "Stop", close: "Close" };

/** What stands in its way. */
function State(props: { agent: Agent; kind: AgentAct }) {
  const { agent } = props;
  const room = useRoom();
  const machine = room.state.value.machines.get(agent.machine_id);
  const other = underWayOf(useOperations().values(), agent.id)[0];
  return (
    <>
      {machine !== undefined && !machine.online ? (
        <Note icon="off"><bdi>{line(machine.name, 60)}</bdi> is not reachable since {clock(machine.last_seen_ms, room.now.value)}. This is queued until it is back.</Note>
      ) : null}
      {other === undefined ? null : <Note icon={kindWords(other.kind).icon}>Another operation is under way: <bdi>{line(operationWords(other).what, 120)}</bdi>.</Note>}
    </>
  );
}

function Plan(props: { kind: AgentAct; agent: Agent; target: string; isNow: boolean; losses: readonly string[] }) {
  const { kind, agent } = props;
  const id = useId();
  const first = kind === "rename" || agent.activity === "gone" ? "" : props.losses.length === 0
    ? agent.activity === "idle" ? "It is idle, so nothing is interrupted." : ""
    : props.isNow ? dropWords(props.losses) : "It waits until the agent is idle. You can cancel it until then.";
  return (
    <section aria-labelledby={id}>
      <h3 class="field-label" id={id}>What happens</h3>
      {first === "" ? null : <p class="md">{first}</p>}
      <ol class="will">{planOf(kind, agent, props.target).map((step) => <li key={step}>{step}</li>)}</ol>
      <p class="sec-hint">{planNote(kind)}</p>
    </section>
  );
}
