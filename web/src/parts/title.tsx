/**
 * The title of a pane. A page has one `h1`: where two panes stand side by side it is the list's, else the
 * detail's own. The shell says which; views write `<Title class="chat-name">…</Title>`.
 */
import { createContext, type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";

export const TitleLevel = createContext<1 | 2>(1);

export function Title(props: { class?: string; id?: string; children: ComponentChildren }) {
  const { children, ...rest } = props;
  return useContext(TitleLevel) === 1 ? <h1 {...rest}>{children}</h1> : <h2 {...rest}>{children}</h2>;
}
