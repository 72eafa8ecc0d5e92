/** The camera as a reader of QR codes, where the browser has one built in. */

interface Barcode { rawValue: string }
interface Detector { detect(source: HTMLVideoElement): Promise<Barcode[]> }
type DetectorMaker = new (options: { formats: string[] }) => Detector;

const EVERY_MS = 200;

/** Why this page cannot scan; null: it can be tried. */
export function scanTrouble(): string | null {
  if (!window.isSecureContext) return "The camera needs HTTPS. Type the code instead.";
  if (navigator.mediaDevices === undefined) return "This browser gives pages no camera. Type the code instead.";
  if (!("BarcodeDetector" in window)) return "This browser cannot read QR codes. Type the code instead.";
  return null;
}

export type Scan = { stop(): void };

/**
 * Show the camera in `video` and tell what codes say, until `stop` is called. `onTrouble`: in words; nothing follows.
 */
export function scan(video: HTMLVideoElement, onText: (text: string) => void, onTrouble: (text: string) => void): Scan {
  let isOver = false;
  let stream: MediaStream | null = null;
  let timer = 0;
  const stop = (): void => {
    isOver = true;
    window.clearTimeout(timer);
    for (const track of stream?.getTracks() ?? []) track.stop();
    video.srcObject = null;
  };
  void (async () => {
    try {
      const make = (window as unknown as { BarcodeDetector: DetectorMaker }).BarcodeDetector;
      const detector = new make({ formats: ["qr_code"] });
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" }, audio: false });
      if (isOver) {
        stop();
        return;
      }
      video.srcObject = stream;
      await video.play();
      const look = async (): Promise<void> => {
        if (isOver) return;
        const found = await detector.detect(video).catch(() => []);
        for (const { rawValue } of found) if (!isOver) onText(rawValue);
        if (!isOver) timer = window.setTimeout(() => void look(), EVERY_MS);
      };
      await look();
    } catch (error) {
      if (isOver) return;
      stop();
      onTrouble(inWords(error instanceof DOMException ? error.name : ""));
    }
  })();
  return { stop };
}

function inWords(name: string): string {
  switch (name) {
    case "NotAllowedError":
      return "The camera is not allowed for this page. Allow it in the browser’s settings of this page, or type the code.";
    case "NotFoundError":
      return "No camera was found. Type the code instead.";
    case "NotReadableError":
      return "Another program uses the camera. Type the code instead.";
    default:
      return "The camera could not be used. Type the code instead.";
  }
}
