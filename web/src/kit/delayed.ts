/** Values that follow when nothing changed for a moment: what a search asks for while somebody types. */
import { useEffect, useState } from "preact/hooks";

export function useDelayed<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setShown(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return shown;
}
