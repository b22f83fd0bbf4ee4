import type { FieldProblem } from '../../../runtime/field-problem.ts';
import { scanMembers } from '../../rpc/scan-json.ts';

/** No operation's body is nested deeper; one that is has an unknown member, and is refused for that. */
const MAX_DEPTH = 4;
const OPEN_BRACE = 0x7b;

/**
 * Finds the members that appear twice in a JSON object, or in an object inside it: parsers disagree about which of the two
 * counts (RFC 8259, section 4). Names are compared decoded.
 *
 * @param json bytes that passed JSON.parse.
 */
export function repeatedMembers(json: Buffer, pointer = '', depth = 1): readonly FieldProblem[] {
  const members = scanMembers(json) ?? [];
  const seen = new Set<string>();
  return members.flatMap(({ name, start, end }) => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const own = seen.has(name) ? [{ pointer: at, detail: 'appears more than once' }] : [];
    seen.add(name);
    const isNested = json[start] === OPEN_BRACE && depth < MAX_DEPTH;
    return isNested ? [...own, ...repeatedMembers(json.subarray(start, end), at, depth + 1)] : own;
  });
}
