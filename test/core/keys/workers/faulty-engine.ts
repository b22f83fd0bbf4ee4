import sodium from 'sodium-native';

// A key thread whose library gives wrong public keys, if it was started while the environment asks for that.
const right = sodium.crypto_sign_seed_keypair;
if (process.env.KEYSLOT_TEST_FAULTY_KEYS !== undefined)
  sodium.crypto_sign_seed_keypair = (publicKey, secretKey, seed) => {
    right(publicKey, secretKey, seed);
    publicKey.fill(0);
  };
const { default: work } = await import('../../../../src/core/keys/worker.ts');
export default work;
