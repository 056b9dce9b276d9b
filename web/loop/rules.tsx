import type { ComponentChildren } from 'preact';
import type { RuleStanding } from '../../src/protocol/index.ts';
import { Pips, Share } from '../parts/meter.tsx';
import { Phrase } from '../parts/text.tsx';
import { useNow } from '../state/clock.ts';
import type { ShownLoop } from '../state/loop.ts';
import { dollars, duration, money } from '../words/amounts.ts';
import { isOver } from '../words/signs.ts';
import { runningMsAt } from './lead.ts';

/** Every rule that can stop the loop, the nearest first. */
export function Rules({ shown }: { readonly shown: ShownLoop }) {
  const nowMs = useNow();
  const { explained, state } = shown.standing;
  const rules = explained.rules.filter(({ set }) => set !== 'success');
  const first = rules.find(({ near }) => near !== null && near > 0);
  if (rules.length === 0) return null;
  return (
    <section class="rules" aria-labelledby="rules-title">
      <div class="section-head">
        <h2 id="rules-title">{isOver(state) ? 'What could have stopped it' : 'What stops it'}</h2>
        <span class="quiet">nearest first</span>
      </div>
      <ul>
        {rules.map((rule) => (
          <Rule
            key={rule.key ?? rule.rule}
            rule={rule}
            shown={shown}
            nowMs={nowMs}
            isFirst={rule === first && !isOver(state)}
          />
        ))}
        <Context shown={shown} />
      </ul>
    </section>
  );
}

interface RuleProps {
  readonly rule: RuleStanding;
  readonly shown: ShownLoop;
  readonly nowMs: number;
  readonly isFirst: boolean;
}

function Rule({ rule, shown, nowMs, isFirst }: RuleProps) {
  const { name, figure, share, pips } = figureOf(rule, shown, nowMs);
  return (
    <li title={rule.key ?? rule.rule}>
      <Metered isLimit={rule.kind === 'limit'} name={name} figure={figure} share={share}>
        <span class="rule-name">
          {rule.description === undefined ? name : <Phrase text={rule.description} />}
          {isFirst && <span class="first">first</span>}
        </span>
        <span class="rule-figure">
          {figure}
          {pips !== undefined && <Pips {...pips} />}
        </span>
        {share !== undefined && pips === undefined && <Share share={share} />}
      </Metered>
    </li>
  );
}

interface MeteredProps {
  readonly isLimit: boolean;
  readonly name: string;
  readonly figure: string;
  readonly share: number | undefined;
  readonly children: ComponentChildren;
}

/** What can be measured is a meter with its words; the rest is text. */
function Metered({ isLimit, name, figure, share, children }: MeteredProps) {
  const looks = isLimit ? 'rule rule-limit' : 'rule';
  if (share === undefined) return <div class={looks}>{children}</div>;
  const percent = Math.round(share * 100);
  return (
    <div
      class={looks}
      role="meter"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={figure}
    >
      {children}
    </div>
  );
}

interface Figure {
  readonly name: string;
  readonly figure: string;
  readonly share?: number;
  readonly pips?: { readonly count: number; readonly max: number };
}

const names: Readonly<Record<string, string>> = {
  max_time: 'Time',
  max_cost: 'Cost',
  max_iterations: 'Iterations',
  max_tokens: 'Tokens',
  max_output_tokens: 'Output tokens',
  max_tool_calls: 'Tool calls',
  no_progress: 'Without progress',
  test_failures: 'Changes that fixed no test',
  iteration_failures: 'Failed iterations',
  same_error: 'Same error',
};

/** A rule in numbers; where the view has them, they are newer than the evidence. */
function figureOf(rule: RuleStanding, shown: ShownLoop, nowMs: number): Figure {
  const { view, limits } = shown.standing;
  const name = names[rule.rule] ?? rule.rule.replaceAll('_', ' ').replace(/^./u, (letter) => letter.toUpperCase());
  const known = rule.near === null ? {} : { share: rule.near };
  if (rule.rule === 'max_time' && limits.maxTimeMs !== undefined) {
    const usedMs = runningMsAt(shown, nowMs);
    return {
      name,
      figure: `${duration(usedMs)} of ${duration(limits.maxTimeMs)}`,
      share: Math.min(1, usedMs / limits.maxTimeMs),
    };
  }
  if (rule.rule === 'max_cost' && limits.maxCostUsd !== undefined) {
    const unreported = view.spent.unreportedCost ?? 0;
    const usd = view.spent.runs > 0 && unreported === view.spent.runs ? null : view.spent.costUsd;
    return {
      name,
      figure:
        usd === null
          ? `not reported, of ${dollars(limits.maxCostUsd)}`
          : `${money(usd, unreported)} of ${dollars(limits.maxCostUsd)}`,
      ...known,
    };
  }
  if (rule.rule === 'max_iterations')
    return {
      name,
      figure:
        view.maxIterations === 0 ? String(view.stats.iterations) : `${view.stats.iterations} of ${view.maxIterations}`,
      ...known,
    };
  const [, count, max] = /\b(\d+) of (\d+)\b/u.exec(rule.evidence) ?? [];
  if (rule.kind === 'rule' && count !== undefined && max !== undefined) {
    return { name, figure: `${count} of ${max}`, ...known, pips: { count: Number(count), max: Number(max) } };
  }
  return { name, figure: rule.evidence, ...known };
}

/** How full the context of the agent's session is; no rule, so it comes last. */
function Context({ shown: { standing } }: { readonly shown: ShownLoop }) {
  const { agentSession } = standing.view;
  const context = agentSession?.context;
  if (context === undefined) return null;
  const redline = standing.limits.redlinePercent;
  const figure = `${context.source === 'estimated' ? '~ ' : ''}${Math.round(context.percent)} %`;
  return (
    <li>
      <Metered isLimit name="Context of the session" figure={figure} share={context.percent / 100}>
        <span class="rule-name">Context of the session</span>
        <span class="rule-figure">
          {figure} {agentSession?.isContinued === true && <span class="quiet">reboot at {redline} %</span>}
        </span>
        <Share share={context.percent / 100} {...(agentSession?.isContinued === true ? { mark: redline / 100 } : {})} />
      </Metered>
    </li>
  );
}
