/**
 * The kinds of things that are not in the specification: a member, a word where it lists words, the version of a transaction, a
 * JSON type, the code of an error, a notification.
 */
export type FindingKind = 'member' | 'word' | 'version' | 'type' | 'errorCode' | 'notification';

/**
 * One thing that is not in the specification, by a name that is the same in every answer:
 * `getBlock.result.transactions[].meta.newMember`.
 */
export type Finding = { readonly kind: FindingKind; readonly name: string };
