/** What the pairing page has to say before anything is typed. */
import { Icon } from "../../parts/icon";

/** Plain HTTP: what is missing here, why, and how to get it. */
export function PlainHttp() {
  return (
    <section class="callout" aria-labelledby="http-t">
      <Icon name="info" />
      <div>
        <h2 class="md" id="http-t">This page came over plain HTTP</h2>
        <p>Without encryption the browser turns off:</p>
        <ul>
          <li>notifications</li>
          <li>unlock with a passkey</li>
          <li>installing to the home screen</li>
          <li>the camera</li>
        </ul>
        <p>Chats, answers and the terminal work.</p>
        <details>
          <summary>Turn on HTTPS</summary>
          <p>On the hub’s machine, one of the two, then open the address that it prints:</p>
          <p><code>controlroom up --tailscale</code> gives it a name in your tailnet.</p>
          <p><code>controlroom up --cert FILE --key FILE</code> takes a certificate of your own.</p>
        </details>
      </div>
    </section>
  );
}

/** iOS: the app on the home screen has a storage of its own, so that is where it has to be paired. */
export function InstallFirst(props: { code: string | undefined; onHere(): void }) {
  return (
    <section class="stack" aria-labelledby="ios-t">
      <h2 class="card-q" id="ios-t">First add it to the Home Screen</h2>
      <p class="second">On iPhone and iPad the app there keeps its own login: a pairing made in the browser does not come along.</p>
      <ol class="will">
        <li>Tap <b>Share</b>, then <b>Add to Home Screen</b>.</li>
        <li>Open <b>Control Room</b> from the Home Screen.</li>
        <li>Type the code there{props.code === undefined ? "." : ":"}</li>
      </ol>
      {props.code === undefined ? null : (
        <p class="card" style="text-align:center">
          <b class="mono code-shown">{props.code}</b>
          <small class="second">Looking at it has not used it up. It works once, for 10 minutes after it was made.</small>
        </p>
      )}
      <button class="btn btn-plain" type="button" onClick={props.onHere}>Pair this browser instead</button>
    </section>
  );
}
