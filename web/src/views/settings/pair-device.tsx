/** How another device gets in: codes are made on the hub's own machine, never here. */
import { copyText } from "../../kit/copy";
import { Icon } from "../../parts/icon";
import { showToast } from "../../parts/toast";
import { Page, Section } from "./page";

export function PairDevice() {
  return (
    <Page title="Pair a device">
      <Section title="1. On the hub’s machine, in a terminal" hint="Codes are made only there: a lost phone cannot let another one in.">
        <Command text="controlroom pair" />
      </Section>
      <Section title="2. Use what it shows">
        <ol class="will">
          <li>Open the link on the new device, or scan the QR code, or type the code at <code>{location.origin}/app/</code>.</li>
          <li>On iPhone and iPad add the page to the Home Screen first, and type the code there.</li>
          <li>A code works once, for 10 minutes. Looking at it does not use it up.</li>
        </ol>
      </Section>
      <Section title="3. What it may do" hint="Each right ends by itself. Rights grow on the hub’s machine alone; here a device can only be revoked.">
        <dl class="panel facts-list">
          <div class="set"><dt>Chat</dt><dd>Read chats, send messages</dd></div>
          <div class="set"><dt>Answers</dt><dd>Prompts and questions</dd></div>
          <div class="set"><dt>Actions</dt><dd>Stop turns, later restart and move</dd></div>
          <div class="set"><dt>Terminal</dt><dd>Type into panes, open shells</dd></div>
        </dl>
        <p class="sec-hint">Less for a device that only reads:</p>
        <Command text="controlroom pair --help" />
      </Section>
      <Section title="For phones: HTTPS" hint="Without it a browser turns off notifications, passkeys, installing and the camera. Chats, answers and the terminal work.">
        <Command text="controlroom up --tailscale" />
        <Command text="controlroom up --cert FILE --key FILE" />
      </Section>
    </Page>
  );
}

function Command(props: { text: string }) {
  const copy = async (): Promise<void> => {
    showToast({ text: (await copyText(props.text)) ? "Copied" : "This browser did not copy it. Select the text." });
  };
  return (
    <div class="cmdline">
      <code>{props.text}</code>
      <button class="icon-btn" type="button" aria-label={`Copy ${props.text}`} onClick={() => void copy()}><Icon name="copy" /></button>
    </div>
  );
}
