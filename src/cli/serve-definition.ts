import type { CommandDefinition } from './definition.ts';
import { db, everywhere, trustProject } from './options.ts';

/** `ralphd serve` and its options. */
export const serveDefinition: CommandDefinition = {
  name: 'serve',
  example: 'ralphd serve --all --allow-control',
  summary: 'Show loops in a browser on this machine: prints a link that works once.',
  args: [],
  options: [
    { name: 'all', summary: 'Show the loops of all your projects on this machine.' },
    { name: 'allow-control', summary: 'Also start, resume, pause, guide and end loops from the page.' },
    { name: 'port', value: 'N', summary: 'Port to answer at (default: 7117, or another one if that is taken).' },
    { name: 'host', value: 'ADDRESS', summary: 'Address to answer at (default: 127.0.0.1); others need TLS.' },
    { name: 'tls-cert', value: 'FILE', summary: 'Certificate in PEM form.' },
    { name: 'tls-key', value: 'FILE', summary: 'Key of the certificate.' },
    { name: 'allow-plain-http', summary: 'Answer other machines without TLS: anyone on the way can read and act.' },
    {
      name: 'allow-host',
      value: 'NAME',
      repeatable: true,
      summary: 'Name under which browsers reach this machine, such as one of your network.',
    },
    {
      name: 'token-file',
      value: 'FILE',
      summary: 'Token for scripts and Prometheus, sent as "Authorization: Bearer"; created if it is missing.',
    },
    { ...trustProject, summary: 'Loops started from the page run what their project brings without your consent.' },
    db,
    ...everywhere,
  ],
};
