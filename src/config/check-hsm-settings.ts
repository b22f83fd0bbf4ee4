import type { Config } from '../../generated/config.ts';

/** Returns the problems of key backend settings that each fit their schema, one line per problem. No PIN is shown. */
export function checkHsmSettings({ kind, soft, pkcs11 }: Config['hsm']): readonly string[] {
  return [...(kind === 'pkcs11' ? checkPkcs11(pkcs11) : []), ...checkSoft(soft)];
}

function checkPkcs11(pkcs11: Config['hsm']['pkcs11']): readonly string[] {
  if (pkcs11 === undefined) {
    return [
      'hsm.pkcs11 is missing; hsm.kind pkcs11 needs at least hsm.pkcs11.library (KEYSLOT_PKCS11_LIBRARY)',
    ];
  }
  const { token, slot, pin, pin_file: pinFile } = pkcs11;
  return [
    ...exactlyOne(
      [token, slot],
      'hsm.pkcs11.token (KEYSLOT_PKCS11_TOKEN)',
      'hsm.pkcs11.slot (KEYSLOT_PKCS11_SLOT)',
    ),
    ...exactlyOne(
      [pinFile, pin],
      'hsm.pkcs11.pin_file (KEYSLOT_PKCS11_PIN_FILE)',
      'hsm.pkcs11.pin (KEYSLOT_PKCS11_PIN)',
    ),
  ];
}

function checkSoft({
  master_key_file: current,
  previous_master_key_file: previous,
}: Config['hsm']['soft']): readonly string[] {
  if (previous === undefined || current !== undefined) return [];
  return [
    'hsm.soft.previous_master_key_file (KEYSLOT_HSM_PREVIOUS_MASTER_KEY_FILE) is set without hsm.soft.master_key_file (KEYSLOT_HSM_MASTER_KEY_FILE)',
  ];
}

function exactlyOne(values: readonly unknown[], first: string, second: string): readonly string[] {
  const given = values.filter((value) => value !== undefined).length;
  if (given === 1) return [];
  return [
    given === 0
      ? `${first} or ${second} is missing`
      : `${first} and ${second} are both set; set only one of them`,
  ];
}
