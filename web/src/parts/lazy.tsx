/** Views that are loaded when they are first shown. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A component whose code is fetched when it is first rendered. Give the module and the name of its export. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, redraw] = useState(0);
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded !== null || hasFailed) return;
      let isThere = true;
      load().then(
        (component) => {
          loaded = component;
          if (isThere) redraw((count) => count + 1);
        },
        () => isThere && setFailed(true),
      );
      return () => {
        isThere = false;
      };
    }, [hasFailed]);
    const View = loaded;
    if (View !== null) return <View {...props} />;
    if (!hasFailed) return <div class="grow" aria-busy="true" />;
    return (
      <div class="empty" role="alert">
        <h2>This part was not loaded</h2>
        <p>The control room did not answer, or it has a newer version. What you wrote is kept.</p>
        <div class="bar-row">
          <button class="btn btn-line" type="button" onClick={() => setFailed(false)}>Try again</button>
          <button class="btn btn-plain" type="button" onClick={() => location.reload()}>Load the page anew</button>
        </div>
      </div>
    );
  };
}
