/** The first byte of a sealed key tells who can read the rest. A number is never given to another format. */
export const SEALED_FORMAT = { soft: 1, tokenObject: 2, wrapped: 3 } as const;
