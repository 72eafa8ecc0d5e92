/** A part that breaks says so in its own place; everything beside it goes on. */
import { Component, type ComponentChildren } from "preact";

import { line } from "../kit/text";
import { Empty } from "../parts/empty";
import { Title } from "../parts/title";

interface Props {
  /** Another one is another try. */
  place: string;
  children: ComponentChildren;
}

export class Boundary extends Component<Props, { text: string | null; place: string }> {
  override state = { text: null, place: this.props.place };

  static override getDerivedStateFromError(error: unknown): { text: string } {
    return { text: error instanceof Error ? error.message : String(error) };
  }

  static override getDerivedStateFromProps(props: Props, state: { text: string | null; place: string }) {
    return props.place === state.place ? null : { text: null, place: props.place };
  }

  override render() {
    const { text } = this.state;
    if (text === null) return this.props.children;
    return (
      <section class="pane pane-detail" aria-label="This part broke">
        <div class="broken">
          <Empty icon="warn" title={<Title>This part broke</Title>}>
            <p>What you wrote is kept, and the agents go on. It said: <bdi>{line(text, 200)}</bdi></p>
            <div class="bar-row">
              <button class="btn btn-line" type="button" onClick={() => this.setState({ text: null })}>Try again</button>
              <button class="btn btn-plain" type="button" onClick={() => location.reload()}>Load the page anew</button>
            </div>
          </Empty>
        </div>
      </section>
    );
  }
}
