import { useRef, useState } from 'preact/hooks';
import type { ServerInfo, StartAnswer, StartRequest } from '../../src/protocol/index.ts';
import { failureText, order } from '../api/request.ts';
import { Dialog } from '../parts/dialog.tsx';
import { go } from '../shell/router.tsx';
import { useCell } from '../state/cell.ts';
import { server } from '../state/server.ts';

/** Starts a loop in a process of its own. */
export function StartDialog({ close }: { readonly close: () => void }) {
  const info = useCell(server);
  const form = useRef<HTMLFormElement>(null);
  const [refusal, setRefusal] = useState('');
  const [isBusy, setBusy] = useState(false);
  const start = async (event: Event) => {
    event.preventDefault();
    if (form.current === null) return;
    setBusy(true);
    setRefusal('');
    try {
      const { key } = await order<StartAnswer>('/api/loops', requestIn(new FormData(form.current)));
      close();
      go(`/loops/${key}`);
    } catch (error) {
      setRefusal(`Not started: ${failureText(error)}`);
      setBusy(false);
    }
  };
  return (
    <Dialog title="Start a loop" close={close}>
      <form ref={form} class="form" onSubmit={(event) => void start(event)}>
        {info !== undefined && <Fields info={info} />}
        <p class={refusal === '' ? 'action-line' : 'action-line refused'} role="status">
          {refusal}
        </p>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isBusy}>
            {isBusy ? 'Starting …' : 'Start'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Fields({ info }: { readonly info: ServerInfo }) {
  const installed = info.agents.filter(({ isInstalled }) => isInstalled);
  return (
    <>
      {info.projects.length > 1 && (
        <label>
          Project
          <select name="project">
            {info.projects.map(({ key, name, folder }) => (
              <option key={key} value={key}>
                {name} ({folder})
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Task
        <textarea name="task" rows={4} placeholder="Empty: the prompt of the project, or PROMPT.md" />
      </label>
      <label>
        Checks that prove it, one command on a line
        <textarea name="verify" rows={2} class="mono" placeholder="Empty: the checks of the project, or its tests" />
      </label>
      <div class="form-row">
        <label>
          Agent
          <select name="agent">
            <option value="">as the project says</option>
            {installed.map(({ agent }) => (
              <option key={agent} value={agent}>
                {agent}
              </option>
            ))}
          </select>
        </label>
        <label>
          Permissions
          <select name="permissions">
            <option value="">as the project says</option>
            <option value="ask">ask</option>
            <option value="edit">edit</option>
            <option value="full">full</option>
          </select>
        </label>
      </div>
      <div class="form-row">
        <label>
          At most iterations
          <input name="maxIterations" inputMode="numeric" pattern="[0-9]*" placeholder="100" />
        </label>
        <label>
          At most time
          <input name="maxTime" placeholder="8h" />
        </label>
        <label>
          At most cost, $
          <input name="maxCostUsd" inputMode="decimal" pattern="[0-9]*[.]?[0-9]*" placeholder="25" />
        </label>
      </div>
      <label class="check-label">
        <input type="checkbox" name="worktree" />
        Work in a git worktree of its own
      </label>
    </>
  );
}

/** What was filled in; the rest comes from the settings of the project. */
function requestIn(data: FormData): StartRequest {
  const text = (name: string) => {
    const value = data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const texts: readonly (readonly [string, string])[] = ['project', 'task', 'agent', 'permissions', 'maxTime'].flatMap(
    (name) => (text(name) === '' ? [] : [[name, text(name)]]),
  );
  const numbers: readonly (readonly [string, number])[] = ['maxIterations', 'maxCostUsd'].flatMap((name) =>
    text(name) === '' ? [] : [[name, Number(text(name))]],
  );
  const verify = text('verify')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const given = Object.fromEntries<string | number>([...texts, ...numbers]);
  return {
    ...given,
    ...(verify.length === 0 ? {} : { verify }),
    ...(data.get('worktree') === 'on' ? { worktree: true } : {}),
  };
}
