import type { FileText, ReportText, RowText, Tone } from '../../words/report.ts';
import { html, Markup } from '../html.ts';
import { reportStyle } from './report-style.ts';

const marks: Readonly<Record<Tone, string>> = { good: '✓', look: '▲', bad: '✗', plain: '·' };
const nothing = new Markup('');

/** A report as one self-contained page: no script, no network. */
export function reportHtml(text: ReportText, createdAt: string): string {
  const { badge, id } = text;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<title>${marks[badge.tone]} ${badge.word}: ${id}</title>
<style>${new Markup(reportStyle)}</style>
</head>
<body>
<main>
${heading(text)}
${section('Asked', html`<p class="asked">${text.task.trim()}</p>`)}
${section('Can you trust it?', trustList(text))}
${section('Iterations', iterations(text), rowCount(text))}
${section('Chain of loops', chain(text), 'oldest first')}
${section('Waits and pauses', interludes(text))}
${section('Changed files', files(text))}
${section('Last words', lastWords(text), 'of the agent, quoted')}
${section('Next', next(text))}
<footer>Every statement comes from the loop's journal; only quotations are the agent's own words. Written by ralphd at ${createdAt}.</footer>
</main>
</body>
</html>
`;
  return page.source;
}

function heading({ id, badge, caution, headline, because, figures }: ReportText): Markup {
  const kind = badge.word === 'Running' ? 'running' : badge.tone;
  const warning =
    caution === undefined
      ? nothing
      : html`<span class="badge look"><span aria-hidden="true">${marks.look}</span>${caution}</span>`;
  const rows = figures.map(([name, value]) => html`<div><dt>${capital(name)}</dt><dd>${value}</dd></div>`);
  return html`<header>
<div class="top"><span class="badge ${kind}"><span aria-hidden="true">${kind === 'running' ? '●' : marks[badge.tone]}</span>${badge.word}</span>${warning}<code>${id}</code></div>
<h1>${headline}</h1>
${because.map((line) => html`<p class="lead">${capital(line)}${line.endsWith('.') ? '' : '.'}</p>`)}
<dl class="figures">${rows}</dl>
</header>`;
}

function section(title: string, body: Markup, subtitle = ''): Markup {
  if (body === nothing) return nothing;
  const below = subtitle === '' ? nothing : html`<p>${subtitle}</p>`;
  return html`<section><header><h2>${title}</h2>${below}</header><div>${body}</div></section>`;
}

function trustList({ trust }: ReportText): Markup {
  if (trust.length === 0) return nothing;
  const items = trust.map(
    ({ tone, command, text }) =>
      html`<li class="${tone}"><span class="mark" aria-hidden="true">${marks[tone]}</span><span>${
        command === undefined ? capital(text) : html`<code>${command}</code>: ${text}`
      }</span></li>`,
  );
  return html`<ul class="plain">${items}</ul>`;
}

function rowCount({ iterations: { length } }: ReportText): string {
  return `${length} listed, oldest first`;
}

function iterations({ iterations: rows, omitted }: ReportText): Markup {
  if (rows.length === 0) return nothing;
  const trail = rows.map(
    ({ number, outcome, mark, tone }) => html`<span class="${tone}" title="${number}: ${outcome}">${mark}</span>`,
  );
  const note = omitted === undefined ? nothing : html`<p class="note">${capital(omitted)}.</p>`;
  return html`<div class="trail" aria-hidden="true">${trail}</div>
<div class="scroll"><table>
<thead><tr><th class="n">#</th><th></th><th>Outcome</th><th class="n">Failing tests</th><th class="n wide">Files</th><th class="n wide">Lines</th><th class="n">Cost</th><th class="n">Time</th></tr></thead>
<tbody>${rows.map(iterationRow)}</tbody>
</table></div>${note}`;
}

function iterationRow({ number, mark, tone, outcome, failing, files: count, lines, cost, time }: RowText): Markup {
  return html`<tr class="${tone}"><td class="n">${number}</td><td class="sign">${mark}</td><td class="outcome">${capital(outcome)}</td><td class="n">${failing}</td><td class="n wide">${count}</td><td class="n wide">${lines}</td><td class="n">${cost}</td><td class="n">${time}</td></tr>
`;
}

function chain({ chain: found }: ReportText): Markup {
  if (found === undefined) return nothing;
  const rows = found.loops.map(
    ({ id, status, iterations: count, cost, isThis }) =>
      html`<tr><td class="first"><code>${id}</code>${isThis ? ' (this one)' : ''}</td><td>${status}</td><td class="n">${count}</td><td class="n">${cost}</td></tr>
`,
  );
  return html`<div class="scroll"><table>
<thead><tr><th>Loop</th><th>Status</th><th class="n">Iterations</th><th class="n">Cost</th></tr></thead>
<tbody>${rows}</tbody>
</table></div><p class="note">In all: ${found.total}.</p>`;
}

function interludes({ interludes: lines }: ReportText): Markup {
  if (lines.length === 0) return nothing;
  const items = lines.map(
    (line) => html`<li class="plain"><span class="mark" aria-hidden="true">○</span><span>${line}</span></li>`,
  );
  return html`<ul class="plain">${items}</ul>`;
}

function files({ files: all, filesNote }: ReportText): Markup {
  const note = filesNote === undefined ? nothing : html`<p class="note">${filesNote}</p>`;
  if (all.length === 0) return filesNote === undefined ? nothing : note;
  return html`<div class="scroll"><table>
<thead><tr><th>File</th><th class="n">Added</th><th class="n">Removed</th></tr></thead>
<tbody>${all.map(fileRow)}</tbody>
</table></div>${note}`;
}

function fileRow({ path, added, removed, isOpaque }: FileText): Markup {
  if (isOpaque)
    return html`<tr><td class="first"><code>${path}</code></td><td class="n" colspan="2">not text</td></tr>
`;
  return html`<tr><td class="first"><code>${path}</code></td><td class="n add">${added}</td><td class="n del">${removed}</td></tr>
`;
}

function lastWords({ lastWords: words }: ReportText): Markup {
  return words === undefined ? nothing : html`<blockquote>${words.trim()}</blockquote>`;
}

function next({ next: steps }: ReportText): Markup {
  if (steps.length === 0) return nothing;
  const items = steps.map(({ command, does }) => html`<li><pre>${command}</pre><p>${capital(does)}</p></li>`);
  return html`<ol class="next">${items}</ol>`;
}

/** Capitalises the start of a sentence, except for a lower-case name. */
function capital(text: string): string {
  return text.startsWith('ralphd') ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
