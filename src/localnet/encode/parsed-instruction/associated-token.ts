import type { ReadForm } from './instruction-form.ts';

/** Instructions of the associated token account program (borsh, one byte); empty data means create. */
export const readAssociatedTokenForm: ReadForm = (reader) => {
  const form = reader.oneOf(reader.left === 0 ? 0 : reader.u8(), FORMS);
  reader.end();
  return form;
};

const CREATED = ['source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram'];

const FORMS = [
  { type: 'create', accounts: CREATED },
  { type: 'createIdempotent', accounts: CREATED },
  {
    type: 'recoverNested',
    accounts: [
      'nestedSource',
      'nestedMint',
      'destination',
      'nestedOwner',
      'ownerMint',
      'wallet',
      'tokenProgram',
    ],
  },
];
