/** The camera, looking for a pairing code. Whatever else it reads is told and not used. */
import { useEffect, useRef, useState } from "preact/hooks";

import { scan } from "../../kit/scan";
import { Sheet } from "../../parts/sheet";
import { codeIn } from "../../store/pairing";

export function Scanner(props: { onCode(code: string): void; onClose(): void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [said, setSaid] = useState("Point the camera at the code that “controlroom pair” shows.");
  useEffect(() => {
    if (video.current === null) return;
    const scanning = scan(
      video.current,
      (text) => {
        const code = codeIn(text);
        if (code === null) setSaid("This is a QR code, but not one for pairing.");
        else props.onCode(code);
      },
      setSaid,
    );
    return () => scanning.stop();
  }, []);
  return (
    <Sheet title="Scan the QR code" onClose={props.onClose}>
      <video ref={video} class="scan" muted playsInline aria-label="What the camera sees" />
      <p role="status" class="second">{said}</p>
    </Sheet>
  );
}
