import type { Loop } from '../state/loop.ts';
import { builtInValues, type PromptMoment } from './built-ins.ts';
import type { TemplateValue } from './expression.ts';
import { renderTemplate, type TemplateScope } from './render-template.ts';
import { fillIn, type PromptPart } from './template.ts';
import { buildTemplate } from './template-tree.ts';

/** A task whose built-in variables are still to be filled in. */
export interface UnfilledPrompt {
  readonly parts: readonly PromptPart[];
  /** What it is rendered with, if it is a template. */
  readonly template?: TemplateScope;
}

/** The task of one attempt. */
export function fillPrompt({ parts, template }: UnfilledPrompt, loop: Loop, moment: PromptMoment): string {
  const builtIn = builtInValues(loop, moment);
  if (template === undefined) return fillIn(parts, builtIn);
  const values = { last_result: lastResultOf(loop), ...template.values, ...builtIn };
  return renderTemplate(buildTemplate(parts), { ...template, values });
}

/** The result of the latest iteration that counted; empty before the first. */
function lastResultOf({ handover: { lastResult } }: Loop): TemplateValue {
  return {
    success: lastResult?.success ?? false,
    files_changed: lastResult?.files ?? [],
    tests_passed: lastResult?.tests?.passed ?? '',
    tests_failed: lastResult?.tests?.failed ?? '',
    summary: lastResult?.summary ?? '',
  };
}
