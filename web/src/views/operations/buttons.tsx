/** The operations of an agent as buttons of its sheet. */
import type { Agent } from "../../api/types";
import { Icon } from "../../parts/icon";
import { operationItems } from "./acts";

export function OperationButtons(props: { agent: Agent; before(): void }) {
  return (
    <div class="acts" role="group" aria-label="Operations">
      {operationItems(props.agent).map((item) => (
        <button key={item.label} class={item.isBad ? "btn bad" : "btn"} type="button" onClick={() => { props.before(); item.run(); }}><Icon name={item.icon ?? "right"} small />{item.label}</button>
      ))}
    </div>
  );
}
