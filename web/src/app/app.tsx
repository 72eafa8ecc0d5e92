/** The whole app: who may see it, where it is, and the frame around every view. */
export function App() {
  return <main id="main"><h1>Control Room</h1></main>;
}
