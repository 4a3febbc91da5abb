/** Every fault of a log, a receipt or a proof pack, with a code and one sentence. */
export const FAULTS = {
  checkpoint_missing: 'The log serves no checkpoint.',
  checkpoint_malformed: 'The checkpoint is malformed.',
  checkpoint_unsigned: 'The log did not sign its checkpoint.',
  signature_wrong: 'The signature of the log does not match this checkpoint.',
  origin_changed: 'The checkpoint belongs to a log with another name.',
  key_changed: 'The log signs with a key other than the pinned one.',
  witness_signature_wrong: 'The signature of a witness does not match this checkpoint.',
  witnesses_too_few: 'Fewer witnesses than required have signed the checkpoint.',
  checkpoint_stale: 'No witness has seen this checkpoint for too long.',

  log_shrunk: 'The log is shorter than it was.',
  log_forked: 'The log has signed two different trees of the same size.',
  log_rewritten: 'The log has changed what it showed before.',
  root_wrong: 'The root that the log signed is not the root of its entries.',

  tile_missing: 'A tile of hashes is not served.',
  tile_truncated: 'A tile of hashes is too short.',
  tile_too_long: 'A tile of hashes is too long.',
  tile_wrong: 'A tile of hashes differs from the entries it stands for.',
  upper_tile_wrong: 'A tile of an upper level differs from the tiles below it.',
  bundle_missing: 'A bundle of entries is not served.',
  bundle_truncated: 'A bundle of entries ends too early.',
  bundle_too_long: 'A bundle of entries holds more than its entries.',

  entry_wrong: 'An entry is not the one that was hashed into its place.',
  entry_not_json: 'An entry is not JSON text.',
  entry_not_canonical: 'An entry is not in its one canonical spelling.',
  entry_version: 'An entry has a version that this verifier does not know.',
  entry_shape: 'An entry does not have the form of a leaf.',
  time_runs_back: 'An entry is older than the one before it.',

  proof_malformed: 'A proof is not a list of hashes.',
  proof_of_another_tree: 'A proof has the length of a proof in a tree of another size.',
  proof_wrong: 'A proof does not lead from its entry to the root that the log signed.',
  index_beyond_tree: 'An entry claims a place that the signed tree does not have.',
  leaf_hash_wrong: 'A leaf does not have the hash that is given for it.',

  receipt_malformed: 'The receipt does not have the form of one.',
  receipt_incomplete: 'The receipt does not show where its record was created.',
  receipt_repeated: 'The receipt shows the same moment of its record twice.',
  receipt_of_another_record: 'The receipt shows an entry of another record.',
  receipt_kind_wrong: 'An entry of the receipt is of another kind than it is said to be.',

  pack_malformed: 'A line of the pack does not have the form it should have.',
  pack_version: 'The pack has a version that this verifier does not know.',
  pack_truncated: 'The pack has no last line: a part of it is missing.',
  pack_continues: 'The pack goes on after its last line.',
  pack_count_wrong: 'The pack does not hold as much as its last line says.',
  pack_out_of_order: 'The lines of the pack are not in the order of the log.',
  pack_repeated: 'The pack holds something twice.',
  pack_of_another_workflow: 'The pack holds an entry of another workflow.',
  pack_leaves_out: 'The pack leaves out what the log holds of its workflow.',
  record_missing: 'The pack holds the entry of a record without the record.',
  record_untold: 'A record says what its entry in the log does not.',
  record_hides: 'A record leaves out what an entry in the log tells of it.',
} as const

export type FaultCode = keyof typeof FAULTS

/** The first fault found. The message is the text of its code and the location: an index, a tile or a size. */
export class LogFault extends Error {
  override readonly name = 'LogFault'
  readonly fault: FaultCode
  readonly place: string
  /** Signed notes that together prove the fault, if any. */
  readonly notes: readonly string[]

  constructor(fault: FaultCode, place: string, notes: readonly string[] = []) {
    super(`${FAULTS[fault]} ${place}`)
    this.fault = fault
    this.place = place
    this.notes = notes
  }
}

/** The verifier's own stored state is inconsistent. This is not a fault of the log. */
export class KeptError extends Error {
  override readonly name = 'KeptError'
}
