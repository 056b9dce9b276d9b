import { useEffect, useState } from 'preact/hooks';
import { ask, RequestError } from '../api/request.ts';
import { useCell } from '../state/cell.ts';
import { connection } from '../state/connection.ts';
import { takeFailure } from '../state/server.ts';

/** An answer of the server, or why there is none. */
export interface Answer<Value> {
  readonly value?: Value;
  readonly error?: RequestError;
}

/** Asks the server once per path; again when the connection comes back after nothing could be read. */
export function useAnswer<Value>(path: string | undefined): Answer<Value> {
  const [answer, setAnswer] = useState<Answer<Value> & { readonly path?: string }>({});
  const { phase } = useCell(connection);
  const isMissing = answer.path !== path || (answer.value === undefined && answer.error?.status === 0);
  useEffect(() => {
    if (path === undefined || !isMissing) return undefined;
    const over = new AbortController();
    ask<Value>(path, over.signal)
      .then((value) => setAnswer({ path, value }))
      .catch((error: unknown) => {
        if (over.signal.aborted) return;
        takeFailure(error);
        if (error instanceof RequestError) setAnswer({ path, error });
      });
    return () => over.abort();
  }, [path, phase === 'lost']);
  return answer.path === path ? answer : {};
}
