/** Usage of accounts: it does not exist yet, and says so. */
import { Empty } from "../../parts/empty";
import { Title } from "../../parts/title";

export function Usage() {
  return (
    <section class="pane pane-list" aria-label="Usage">
      <header class="head"><div class="head-top"><Title class="head-title">Usage</Title></div></header>
      <div class="pane-scroll" tabIndex={-1} role="group" aria-label="Accounts">
        <Empty icon="usage" title={<h2>Accounts are not read yet</h2>}>
          <p>This version shows no usage and no limits. What an agent says about its own limit stands in its row and in its chat.</p>
          <a class="btn btn-line" href="/app/agents">All agents</a>
        </Empty>
      </div>
    </section>
  );
}
