/** The commitments of the ledger, least certain first: what is seen at a later one has been seen at the earlier ones too. */
export const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;

export type Commitment = (typeof COMMITMENTS)[number];

/** A slot for each commitment; 0: none. */
export type Slots = Readonly<Record<Commitment, number>>;
