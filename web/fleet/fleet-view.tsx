import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LoopRow, UnreadableRow } from '../../src/protocol/index.ts';
import { CommandBox } from '../parts/command-box.tsx';
import { Loading } from '../parts/loading.tsx';
import { Announced } from '../parts/meter.tsx';
import { useKeys } from '../shell/keys.ts';
import { ReadOnly, useControl } from '../shell/notice.tsx';
import { useTitle } from '../shell/title.ts';
import { useCell } from '../state/cell.ts';
import { useNow } from '../state/clock.ts';
import { type Fleet, fleet, followFleet } from '../state/fleet.ts';
import { server } from '../state/server.ts';
import { moveFocus } from './focus.ts';
import { fleetLead, fleetSums } from './lead.ts';
import { LoopRows } from './loop-rows.tsx';
import { NeedBlock } from './need-block.tsx';
import { OtherDevice } from './other-device.tsx';
import { StartDialog } from './start-dialog.tsx';

/** All loops: what needs a person first. */
export function FleetView() {
  useEffect(() => {
    const feed = followFleet();
    return () => feed[Symbol.dispose]();
  }, []);
  const shown = useCell(fleet);
  useTitle('Loops');
  return (
    <main class="content" tabIndex={-1} id="main">
      {shown === undefined ? <Loading text="Reading the loops …" /> : <FleetContent shown={shown} />}
    </main>
  );
}

const groups = [
  { name: 'Running', group: 'running' },
  { name: 'Waiting', group: 'waiting' },
  { name: 'Finished', group: 'finished' },
] as const;

function FleetContent({ shown }: { readonly shown: Fleet }) {
  const [query, setQuery] = useState('');
  const [isStarting, setStarting] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const { isReady } = useControl();
  const canStart = useCell(server)?.starts === true;
  const loops = useMemo(() => shown.loops.filter((row) => matches(row, query)), [shown, query]);
  const unreadable = shown.unreadable.filter((row) => matches(row, query));
  useKeys({ '/': () => field.current?.focus(), j: () => moveFocus(1), k: () => moveFocus(-1), n: focusNeed });
  const needing = loops.filter(({ group }) => group === 'needs you');
  const isEmpty = shown.loops.length === 0 && shown.unreadable.length === 0;
  return (
    <>
      <div class="fleet-head">
        <FleetLead shown={shown} />
        <div class="fleet-tools">
          {!isEmpty && (
            <label class="find">
              <span class="for-readers">Find a loop</span>
              <input
                ref={field}
                type="search"
                placeholder="Find a loop"
                value={query}
                onInput={(event) => setQuery(event.currentTarget.value)}
                onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
              />
              <kbd>/</kbd>
            </label>
          )}
          {canStart && (
            <button type="button" class="button" disabled={!isReady} onClick={() => setStarting(true)}>
              Start a loop
            </button>
          )}
        </div>
      </div>
      {isEmpty && <NoLoops />}
      <NeedBlock loops={needing} unreadable={unreadable} />
      {groups.map(({ name, group }) => (
        <LoopRows key={group} name={name} rows={loops.filter((row) => row.group === group)} />
      ))}
      {query !== '' && loops.length + unreadable.length === 0 && (
        <p class="quiet">No loop has “{query}” in its name, task or project.</p>
      )}
      <ReadOnly />
      <OtherDevice />
      {isStarting && <StartDialog close={() => setStarting(false)} />}
    </>
  );
}

function FleetLead({ shown }: { readonly shown: Fleet }) {
  const nowMs = useNow();
  const lead = fleetLead(shown, nowMs);
  const sums = fleetSums(shown.loops);
  return (
    <div class="lead">
      <h1>{lead}</h1>
      {sums !== '' && <p class="lead-more">{sums}</p>}
      <Announced text={lead} />
    </div>
  );
}

function NoLoops() {
  return (
    <div class="empty">
      <p>Start one in a terminal; it appears here as soon as it runs.</p>
      <CommandBox command='ralphd run "TASK" --verify CMD' label="How to start a loop" />
    </div>
  );
}

function matches(row: LoopRow | UnreadableRow, query: string): boolean {
  const text = [row.id, row.project.name, 'task' in row ? row.task : row.message].join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

function focusNeed(): void {
  moveFocus(1, '.need a[data-row]');
}
