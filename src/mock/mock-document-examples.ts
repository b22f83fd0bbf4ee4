import type { AnswerExamples } from './choose-example.ts';
import type { MockedOperation } from './mocked-operations.ts';

type Members = Readonly<Record<string, unknown>>;

/** Returns the examples of an operation's good answer in a media type, from the mocked document. */
export function examplesIn(
  document: unknown,
  { path, method, status }: MockedOperation,
  mediaType: string,
): AnswerExamples {
  const operation = memberOf(memberOf(memberOf(document, 'paths'), path), method.toLowerCase());
  const answer = memberOf(memberOf(memberOf(operation, 'responses'), String(status)), 'content');
  const request = memberOf(memberOf(memberOf(operation, 'requestBody'), 'content'), 'application/json');
  const requests = Object.entries(memberOf(request, 'examples')).map(
    ([name, example]) => [name, memberOf(example, 'value')] as const,
  );
  return {
    names: Object.keys(memberOf(memberOf(answer, mediaType), 'examples')),
    requests: Object.fromEntries(requests),
  };
}

function memberOf(value: unknown, name: string): Members {
  const member = typeof value === 'object' && value !== null ? (value as Members)[name] : undefined;
  return typeof member === 'object' && member !== null ? (member as Members) : {};
}
