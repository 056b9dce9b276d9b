import { asObject, asObjects, asText, type Json } from '../_shared/json.ts';

/** A session's settings hold its model, in one of two places. */
export function modelIn(session: Json): string | undefined {
  const option = asObjects(session['configOptions']).find(({ category }) => category === 'model');
  return asText(option?.['currentValue']) ?? asText(asObject(session['models'])?.['currentModelId']);
}

/** The protocol names only the kind of a tool; some agents name the tool itself. */
export function toolName(call: Json): string {
  const names = [call['name'], claudeNotes(call)['toolName'], call['kind'], call['title']];
  return names.map(asText).find((name) => name !== undefined) ?? '';
}

/** Claude reports which tool call a subagent works for. */
export function isOfSubagent(update: Json): boolean {
  return asText(claudeNotes(update)['parentToolUseId']) !== undefined;
}

function claudeNotes(update: Json): Json {
  return asObject(asObject(update['_meta'])?.['claudeCode']) ?? {};
}
