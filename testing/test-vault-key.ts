/** The vault key of stores that tests open without a key ring. */
export const TEST_VAULT_KEY: Uint8Array = new Uint8Array(32).fill(7)
