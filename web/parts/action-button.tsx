import { useState } from 'preact/hooks';
import { failureText, order } from '../api/request.ts';
import { useControl } from '../shell/notice.tsx';
import { go } from '../shell/router.tsx';

/** What a request of a loop did or why it was not done; stays until the next one. */
export interface ActionResult {
  readonly text: string;
  readonly isRefused: boolean;
}

/** Sends requests of one loop, one at a time. */
export function useAction(loopKey: string) {
  const [result, setResult] = useState<ActionResult | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const act = async (path: string, body: unknown): Promise<boolean> => {
    setBusy(true);
    setResult(undefined);
    try {
      const answer = await order<Answered | undefined>(`/api/loops/${loopKey}/${path}`, body);
      setResult({ text: doneText(answer), isRefused: false });
      if (answer?.key !== undefined && answer.key !== loopKey) go(`/loops/${answer.key}`);
      return true;
    } catch (error) {
      setResult({ text: `Not done: ${failureText(error)}`, isRefused: true });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { act, result, isBusy };
}

interface Answered {
  readonly effect?: string;
  readonly key?: string;
  readonly pid?: number;
}

function doneText(answer: Answered | undefined): string {
  if (answer?.effect !== undefined) return `Accepted: it ${answer.effect}.`;
  return answer?.pid === undefined ? 'Accepted.' : `Resumed, in process ${answer.pid}.`;
}

/** What came of the latest action. */
export function ActionLine({ result }: { readonly result: ActionResult | undefined }) {
  return (
    <p class={result?.isRefused === true ? 'action-line refused' : 'action-line'} role="status">
      {result?.text}
    </p>
  );
}

interface ActionButtonProps {
  readonly loopKey: string;
  readonly request: { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
}

/** A step that the server recommends, as a button; nothing where it may only be read. */
export function ActionButton({ loopKey, request }: ActionButtonProps) {
  const { isAllowed, isReady } = useControl();
  const { act, result, isBusy } = useAction(loopKey);
  // What ends a loop is asked about first, by the menu of its page.
  const isEnding = request.body['command'] === 'stop' || request.body['command'] === 'abort';
  if (!isAllowed || isEnding) return null;
  return (
    <>
      <button
        type="button"
        class="button"
        disabled={!isReady || isBusy}
        onClick={() => void act(request.path, request.body)}
      >
        {nameOf(request)}
      </button>
      <ActionLine result={result} />
    </>
  );
}

function nameOf({ path, body }: ActionButtonProps['request']): string {
  const name = path === 'commands' ? String(body['command']) : path;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
