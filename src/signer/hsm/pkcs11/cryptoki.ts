/** The PKCS#11 functions in use (Cryptoki 2.40), as `pkcs11js` offers them. A failed call throws; see `returnCode`. */
export type Cryptoki = {
  load(path: string): void;
  C_Initialize(options: { readonly flags: number }): void;
  C_Finalize(): void;
  C_GetSlotList(isTokenPresent: boolean): readonly Handle[];
  C_GetTokenInfo(slot: Handle): TokenInfo;
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_GetSessionInfo(session: Handle): unknown;
  C_Login(session: Handle, user: number, pin: string): void;
  C_GenerateKeyAsync(session: Handle, mechanism: Mechanism, template: Template): Promise<Handle>;
  C_GenerateKeyPairAsync(
    session: Handle,
    mechanism: Mechanism,
    publicKey: Template,
    privateKey: Template,
  ): Promise<KeyPair>;
  C_GetAttributeValue(session: Handle, object: Handle, template: Template): Template;
  C_FindObjectsInit(session: Handle, template: Template): void;
  C_FindObjects(session: Handle, max: number): readonly Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_SignInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_SignAsync(session: Handle, message: Buffer, signature: Buffer): Promise<Buffer>;
  C_WrapKeyAsync(
    session: Handle,
    mechanism: Mechanism,
    by: Handle,
    key: Handle,
    wrapped: Buffer,
  ): Promise<Buffer>;
  C_UnwrapKeyAsync(
    session: Handle,
    mechanism: Mechanism,
    by: Handle,
    wrapped: Buffer,
    template: Template,
  ): Promise<Handle>;
  C_DestroyObject(session: Handle, object: Handle): void;
};

export type Handle = Buffer;
export type KeyPair = { readonly publicKey: Handle; readonly privateKey: Handle };
export type Mechanism = { readonly mechanism: number; readonly parameter?: Buffer };
export type Attribute = { readonly type: number; readonly value?: number | boolean | string | Buffer };
export type Template = Attribute[];

export type TokenInfo = {
  readonly label: string;
  readonly manufacturerID: string;
  readonly model: string;
  readonly serialNumber: string;
  /** Bits of `CK.tokenFlags`, and others. */
  readonly flags: number;
  readonly firmwareVersion: { readonly major: number; readonly minor: number };
};

/** Numbers of PKCS#11 2.40 and 3.0; `pkcs11js` lacks the constants of Edwards curves. */
export const CK = {
  flags: { osLockingOk: 0x2, serialSession: 0x4, rwSession: 0x2 },
  tokenFlags: { userPinFinalTry: 0x20000, userPinLocked: 0x40000 },
  user: 1,
  class: { publicKey: 2, privateKey: 3, secretKey: 4 },
  keyType: { genericSecret: 0x10, aes: 0x1f, edwards: 0x40 },
  attribute: {
    class: 0x0,
    token: 0x1,
    private: 0x2,
    label: 0x3,
    keyType: 0x100,
    id: 0x102,
    sensitive: 0x103,
    wrap: 0x106,
    unwrap: 0x107,
    sign: 0x108,
    verify: 0x10a,
    valueLength: 0x161,
    extractable: 0x162,
    neverExtractable: 0x164,
    alwaysSensitive: 0x165,
    ecParams: 0x180,
    ecPoint: 0x181,
  },
  mechanism: {
    sha256Hmac: 0x251,
    genericSecretKeyGen: 0x350,
    edwardsKeyPairGen: 0x1055,
    eddsa: 0x1057,
    aesKeyGen: 0x1080,
    aesKeyWrapPad: 0x210a,
    aesKeyWrapKwp: 0x210b,
  },
  /** id-Ed25519 (RFC 8410), as DER. */
  ed25519: Buffer.from('06032b6570', 'hex'),
} as const;
