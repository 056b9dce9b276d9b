import type { ShownState } from '../../src/protocol/index.ts';
import { badgeLooks } from '../words/signs.ts';

/** The state of a loop, told by word, colour and fill. */
export function Badge({ state }: { readonly state: ShownState }) {
  const { mark, word, look } = badgeLooks[state];
  return (
    <span class={`badge badge-${look}`}>
      <span class="mark" aria-hidden="true">
        {mark}
      </span>
      {word}
    </span>
  );
}

/** The same in one sign, where there is no room for the word. */
export function StateMark({ state }: { readonly state: ShownState }) {
  const { mark, word, look } = badgeLooks[state];
  return (
    <span class={`state-mark ink-${look}`}>
      <span aria-hidden="true">{mark}</span>
      <span class="for-readers">{word}: </span>
    </span>
  );
}
