import { asObject, asObjects, asText, type Json } from '../_shared/json.ts';
import { detailOf, shortDetail } from '../_shared/tool-detail.ts';

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

/** What a call is about. Most agents announce a call before they know, and report its arguments in an update. */
export function toolDetail(call: Json): string | undefined {
  const detail = detailOf(call['rawInput']);
  if (detail !== undefined) return detail;
  // A command's location is only the folder it runs in; Gemini gives the command itself as the title.
  if (call['kind'] === 'execute')
    return call['rawInput'] === undefined ? shortDetail(asText(call['title'])) : undefined;
  const places = [...asObjects(call['locations']), ...asObjects(call['content'])];
  return shortDetail(places.flatMap(({ path }) => asText(path) ?? [])[0]);
}

/** Claude reports which tool call a subagent works for. */
export function isOfSubagent(update: Json): boolean {
  return asText(claudeNotes(update)['parentToolUseId']) !== undefined;
}

function claudeNotes(update: Json): Json {
  return asObject(asObject(update['_meta'])?.['claudeCode']) ?? {};
}
