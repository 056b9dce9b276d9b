import { useState } from 'preact/hooks';
import type { LinkAnswer } from '../../src/protocol/index.ts';
import { failureText, order } from '../api/request.ts';
import { CommandBox } from '../parts/command-box.tsx';
import { useCell } from '../state/cell.ts';
import { now } from '../state/clock.ts';
import { connection } from '../state/connection.ts';
import { moment } from '../words/times.ts';

/** Makes a link that opens this page in another browser. */
export function OtherDevice() {
  const { phase } = useCell(connection);
  const [link, setLink] = useState<LinkAnswer | undefined>(undefined);
  const [refusal, setRefusal] = useState('');
  const make = async () => {
    setRefusal('');
    try {
      setLink(await order<LinkAnswer>('/api/session/links', {}));
    } catch (error) {
      setRefusal(`Not made: ${failureText(error)}`);
    }
  };
  return (
    <section class="other-device" aria-label="Another device">
      <button type="button" class="button" disabled={phase !== 'live'} onClick={() => void make()}>
        Link for another device
      </button>
      {link !== undefined && <CommandBox command={link.url} label="the link for another device" />}
      <p class={refusal === '' ? 'quiet' : 'refused'} role="status">
        {refusal}
        {refusal === '' &&
          link !== undefined &&
          `Works once, until ${moment(link.expiresAt, now())}. Whoever opens it can do what you can do here.`}
      </p>
    </section>
  );
}
