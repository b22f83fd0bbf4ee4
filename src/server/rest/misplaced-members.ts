import type { FieldProblem } from '../../../runtime/field-problem.ts';

/**
 * Finds body members in the query of a request, where they would be ignored: `?custody=managed` would be answered with secret
 * keys. Their values are not shown. Other query parameters pass.
 */
export function misplacedMembers(query: unknown, bodyMembers: ReadonlySet<string>): readonly FieldProblem[] {
  const names = typeof query === 'object' && query !== null ? Object.keys(query) : [];
  return names
    .map((name) => name.toLowerCase())
    .filter((name) => bodyMembers.has(name))
    .map((name) => ({
      pointer: `/${name}`,
      detail: 'is in the query string; send it as a member of the JSON body',
    }));
}
