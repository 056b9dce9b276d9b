import type { ComponentChildren } from 'preact';
import { CommandBox } from '../parts/command-box.tsx';
import { useCell } from '../state/cell.ts';
import { useNow } from '../state/clock.ts';
import { connection } from '../state/connection.ts';
import { server } from '../state/server.ts';
import { counted, duration } from '../words/amounts.ts';
import { moment } from '../words/times.ts';

const goneMs = 60_000;
const saidMs = 8_000;

/** What is to be known about the connection before anything else; nothing while it stands. */
export function ConnectionNotice() {
  const { phase, heardAtMs, lostAtMs, caughtUp } = useCell(connection);
  const nowMs = useNow();
  if (phase === 'lost') {
    const lostMs = nowMs - (lostAtMs ?? heardAtMs);
    if (lostMs < goneMs) {
      return <Notice>Connection lost {duration(lostMs)} ago; trying again. The loops are not affected.</Notice>;
    }
    return (
      <Notice isStrong>
        Nothing new since {moment(heardAtMs, nowMs)}. Is <code>ralphd serve</code> still running? The loops are not
        affected.
      </Notice>
    );
  }
  if (caughtUp !== undefined && nowMs - caughtUp.atMs < saidMs) {
    return <Notice>Caught up: {counted(caughtUp.facts, 'fact')}.</Notice>;
  }
  return null;
}

function Notice({ children, isStrong = false }: { readonly children: ComponentChildren; readonly isStrong?: boolean }) {
  return (
    <div class={isStrong ? 'notice notice-strong' : 'notice'} role="status">
      <p>{children}</p>
    </div>
  );
}

/** The page of a browser without a valid cookie. */
export function Expired() {
  return (
    <main class="content sentence-page" tabIndex={-1} id="main">
      <h1>This link has expired.</h1>
      <p>Run this again and open the new link. The loops are not affected.</p>
      <CommandBox command="ralphd serve" />
    </main>
  );
}

/** Says how to act from here, where nothing but reading is allowed. */
export function ReadOnly() {
  const info = useCell(server);
  if (info === undefined || info.control) return null;
  return (
    <p class="quiet read-only">
      Read only. To act from here: <code>ralphd serve --allow-control</code>
    </p>
  );
}

/** Whether buttons work: the server allows it and answers. */
export function useControl(): { readonly isAllowed: boolean; readonly isReady: boolean } {
  const info = useCell(server);
  const { phase } = useCell(connection);
  return { isAllowed: info?.control === true, isReady: phase === 'live' };
}
