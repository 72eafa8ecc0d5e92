/** The sheet in which an agent is started; it shows how far the start is, until the agent is there. */
import { useState } from "preact/hooks";

import type { Machine, Operation, OperationArgs } from "../../api/types";
import { go } from "../../kit/navigate";
import { line } from "../../kit/text";
import { clock, span } from "../../kit/time";
import { useRoom } from "../../live/room";
import { Segmented } from "../../parts/segmented";
import { Sheet } from "../../parts/sheet";
import { Tag } from "../../parts/tag";
import { kindName } from "../../store/agents";
import { isUnderWay } from "../../store/operations";
import { leftWords } from "../../store/targets";
import { loginOf } from "../../store/usage";
import { useAround } from "../usage/load";
import { oneLine, useAsking, useFields } from "./asking";
import { OperationAct, OperationCard, useOperations } from "./card";
import { Choices, TextField, Trouble, Why } from "./fields";
import type { Wish } from "./wish";

const KINDS = ["claude", "codex"] as const;
const LONGEST_PROMPT = 100_000;
const MOST_FOLDERS = 30;

type StartWish = Extract<Wish, { kind: "start" }>;

export function StartSheet(props: { wish: StartWish; onClose(): void }) {
  const { wish, onClose } = props;
  const [asked, setAsked] = useState<{ wish: StartWish; operation: Operation } | null>(null);
  const operations = useOperations();
  // A start that failed offers to try again: that is another wish in this same sheet.
  if (asked === null || asked.wish !== wish) return <Form wish={wish} onClose={onClose} onAsked={(operation) => setAsked({ wish, operation })} />;
  return <Started operation={operations.get(asked.operation.id) ?? asked.operation} onClose={onClose} />;
}

function Form(props: { wish: StartWish; onClose(): void; onAsked(operation: Operation): void }) {
  const { args = {}, why: firstWhy = "" } = props.wish;
  const room = useRoom();
  const asking = useAsking(props.wish);
  const around = useAround();
  const machines = [...room.state.value.machines.values()];
  const usual = machines.find((machine) => machine.primary) ?? machines[0];
  const fields = useFields(props.wish, {
    why: firstWhy, kind: args.kind ?? KINDS[0], folder: args.folder ?? "", profile: args.profile ?? "", name: args.name ?? "", model: args.model ?? "",
    prompt: args.prompt ?? "", worktree: args.worktree ?? "", flags: (args.flags ?? []).join(" "), machine: args.machine_id ?? usual?.id ?? "",
  });
  const machine = machines.find((one) => one.id === fields.of("machine")) ?? usual;
  const kind = fields.of("kind");
  const isFixed = asking.isBusy || asking.lost !== null;
  const folder = fields.of("folder").trim();
  const why = oneLine(fields.of("why"));
  const flags = fields.of("flags").trim();
  const profiles = around.profiles.filter((profile) => profile.machine_id === machine?.id && profile.kind === kind);
  const profile = profiles.find((one) => one.folder === fields.of("profile"));
  const field = (name: string) => ({ value: fields.of(name), disabled: isFixed, onInput: (text: string) => fields.set(name, text) });
  const submit = async (): Promise<void> => {
    const operation = await asking.ask({
      kind: "start", why,
      args: {
        kind, folder, ...(machine === undefined ? {} : { machine_id: machine.id }), ...(profile === undefined ? {} : { profile: profile.folder }),
        ...given("name", line(fields.of("name"), 80)), ...given("model", line(fields.of("model"), 80)), ...given("prompt", fields.of("prompt").trim()),
        ...given("worktree", fields.of("worktree").trim()), ...(flags === "" ? {} : { flags: [flags] }),
      },
    });
    if (operation === null) return;
    fields.forget();
    props.onAsked(operation);
  };
  return (
    <Sheet
      title="Start an agent" onClose={props.onClose} closesOutside={false}
      foot={
        <>
          <button class="btn btn-line" type="button" onClick={props.onClose}>Cancel</button>
          <button class="btn btn-primary" type="button" disabled={asking.isBusy || (asking.lost === null && (why === "" || !folder.startsWith("/")))} onClick={() => void submit()}>
            {asking.isBusy ? "Asking…" : asking.lost !== null ? "Try again" : "Start"}
          </button>
        </>
      }
    >
      <div><p class="field-label" aria-hidden="true">Kind</p><Segmented label="Kind" value={kind} options={KINDS.map((value) => ({ value: value as string, label: kindName(value) }))} onChange={(value) => fields.set("kind", value)} /></div>
      {machines.length < 2 ? null : (
        <Choices
          name="machine" label="Machine" disabled={isFixed} value={machine?.id ?? null} onChange={(id) => { fields.set("machine", id); fields.set("profile", ""); }}
          choices={machines.map((one) => ({ value: one.id, label: <><bdi>{line(one.name, 60)}</bdi>{one.primary ? <> <Tag>Primary</Tag></> : null}</>, words: machineWords(one, room.now.value) }))}
        />
      )}
      <TextField label="Folder" isCode list="start-folders" hint={folder !== "" && !folder.startsWith("/") ? "The whole path is needed: it begins with /." : "The whole path on its machine."} {...field("folder")} />
      <datalist id="start-folders">{foldersOn(room.state.value.agents.values(), machine).map((path) => <option key={path} value={path} />)}</datalist>
      <label class="field">
        <span class="field-label">Profile</span>
        <select class="input" disabled={isFixed} value={profile?.folder ?? ""} onChange={(event) => fields.set("profile", event.currentTarget.value)}>
          <option value="">The usual one</option>
          {profiles.map((one) => {
            const account = one.account == null ? undefined : room.state.value.accounts.byId?.get(one.account);
            const nowMs = room.now.value;
            const left = account === undefined ? "" : `, ${leftWords(account, { nowMs, span, clock: (ms) => clock(ms, nowMs) }).join(", ")}`;
            return <option key={one.id} value={one.folder} disabled={loginOf(one) === "out"}>{line(`${one.name}${loginOf(one) === "out" ? ", signed out" : left}`, 120)}</option>;
          })}
        </select>
      </label>
      <label class="field">
        <span class="field-label">First message</span>
        <textarea class="input" rows={3} dir="auto" maxLength={LONGEST_PROMPT} placeholder="What should it do?" disabled={isFixed} value={fields.of("prompt")} onInput={(event) => fields.set("prompt", event.currentTarget.value)} />
      </label>
      <TextField label="Name" limit={80} hint="Without it, that of its folder." {...field("name")} />
      <TextField label="New branch" isCode limit={200} hint="With a name here it works on a new branch of this name, in a git worktree beside the repository." {...field("worktree")} />
      <TextField label="Model" isCode limit={80} hint="Without it, the one that its settings name." {...field("model")} />
      <TextField label="Flags" isCode limit={300} hint="Exactly as the setting agents.flags of its machine allows them." {...field("flags")} />
      <Why value={fields.of("why")} disabled={isFixed} onInput={(text) => fields.set("why", text)} />
      <Trouble asking={asking} />
    </Sheet>
  );
}

function Started(props: { operation: Operation; onClose(): void }) {
  const { operation, onClose } = props;
  const { state } = useRoom();
  const agent = operation.agent_id == null ? undefined : state.value.agents.get(operation.agent_id);
  const open = (): void => {
    onClose();
    if (agent !== undefined) go({ at: "agent", agentId: agent.id });
  };
  return (
    <Sheet
      title="Start an agent" onClose={onClose}
      foot={
        <>
          {isUnderWay(operation) ? null : <OperationAct operation={operation} />}
          <button class="btn btn-line" type="button" onClick={onClose}>Close</button>
          {agent === undefined ? null : <button class="btn btn-primary" type="button" onClick={open}>Open its chat</button>}
        </>
      }
    >
      <OperationCard operation={operation} />
      {operation.state === "delivered" && agent === undefined ? <p class="md second">It is up. Its chat shows as soon as its machine tells of it.</p> : null}
    </Sheet>
  );
}

function given(name: "name" | "model" | "prompt" | "worktree", value: string): OperationArgs {
  return value === "" ? {} : { [name]: value };
}

function machineWords(machine: Machine, nowMs: number): string {
  return machine.online ? "Reachable" : `Not reachable since ${clock(machine.last_seen_ms, nowMs)}. The start waits for it`;
}

/** Folders in which agents ran on this machine, to choose from. */
function foldersOn(agents: Iterable<{ machine_id: string; folder?: string | null }>, machine: Machine | undefined): string[] {
  const found = new Set<string>();
  for (const agent of agents) if (agent.machine_id === machine?.id && agent.folder) found.add(agent.folder);
  return [...found].sort().slice(0, MOST_FOLDERS);
}
