import type { RequestError } from '../api/request.ts';
import { CommandBox } from '../parts/command-box.tsx';
import { Phrase } from '../parts/text.tsx';
import { Link } from '../shell/router.tsx';
import { useTitle } from '../shell/title.ts';

/** A loop or an iteration that cannot be shown, and what to do about it. */
export function Problem({ error }: { readonly error: RequestError }) {
  useTitle('Not shown');
  // An address that no loop can have.
  const isNoName = error.status === 400;
  const command = /ralphd [a-z][^"”`.]*/u.exec(error.hint)?.[0].trim();
  return (
    <div class="sentence-page">
      <h1>{isNoName ? 'Nothing is at this address.' : <Phrase text={error.message} />}</h1>
      <p>
        <Phrase text={isNoName ? 'It names no loop.' : error.hint} />
      </p>
      {command !== undefined && <CommandBox command={command} />}
      <p>
        <Link to="/">All loops</Link>
      </p>
    </div>
  );
}
