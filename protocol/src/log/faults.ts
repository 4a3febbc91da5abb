/** Every fault of a log, a receipt, a proof pack or an audit pack, with a code and one sentence. */
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
  log_rewritten: 'The log has rewritten its history.',
  root_wrong: 'The root that the log signed is not the root of its entries.',

  tile_missing: 'A tile of hashes is not served.',
  tile_truncated: 'A tile of hashes is too short.',
  tile_too_long: 'A tile of hashes is too long.',
  tile_wrong: 'A tile of hashes does not match its entries.',
  upper_tile_wrong: 'A tile of an upper level does not match the tiles below it.',
  bundle_missing: 'A bundle of entries is not served.',
  bundle_truncated: 'A bundle of entries ends too early.',
  bundle_too_long: 'A bundle of entries has extra bytes after its entries.',

  entry_wrong: 'An entry does not match the leaf hash at its index.',
  entry_not_json: 'An entry is not valid JSON.',
  entry_not_canonical: 'An entry is not canonical JSON.',
  entry_version: 'An entry has a version that this verifier does not support.',
  entry_shape: 'An entry is not a valid leaf.',
  time_runs_back: 'An entry is older than the one before it.',

  proof_malformed: 'A proof is not a list of hashes.',
  proof_of_another_tree: 'A proof has the length of a proof in a tree of another size.',
  proof_wrong: 'A proof does not lead from its entry to the root that the log signed.',
  index_beyond_tree: 'An entry has an index beyond the signed tree.',
  leaf_hash_wrong: 'A leaf does not match its stated hash.',

  receipt_malformed: 'The receipt is malformed.',
  receipt_incomplete: 'The receipt lacks the entry that created its record.',
  receipt_repeated: 'The receipt contains two entries of the same kind.',
  receipt_of_another_record: 'The receipt contains an entry of another record.',
  receipt_kind_wrong: 'An entry of the receipt does not have the stated kind.',

  pack_malformed: 'A line of the pack is malformed.',
  pack_version: 'The pack has a version that this verifier does not support.',
  pack_truncated: 'The pack has no last line: part of it is missing.',
  pack_continues: 'The pack continues after its last line.',
  pack_count_wrong: 'The counts in the last line do not match the pack.',
  pack_out_of_order: 'The lines of the pack are not in the order of the log.',
  pack_repeated: 'The pack contains a duplicate.',
  pack_of_another_workflow: 'The pack contains an entry of another workflow.',
  pack_leaves_out: 'The pack omits log entries of its workflow.',
  record_missing: 'The pack contains the entry of a record without the record.',
  record_untold: 'A record does not match its log entries.',
  record_hides: 'A record omits a change that is in the log.',

  audit_malformed: 'The audit pack is malformed.',
  audit_version: 'The audit pack has a version that this verifier does not support.',
  audit_file_missing: 'The audit pack lacks a file.',
  audit_file_extra: 'The audit pack contains a file that its manifest does not list.',
  audit_file_differs: 'A file of the audit pack is not the one that its manifest lists.',
  audit_checkpoint_differs: 'A file of the audit pack is about another checkpoint.',
  audit_decisions_differ: 'The decisions of the audit pack do not follow from the log.',
  audit_policies_differ: 'The policy table of the audit pack does not fit the tokens in the log.',
  audit_verdict_differs: 'The verdict in the audit pack is not the verdict of this verifier.',

  score_differs: 'The service answers a score that does not follow from the log.',
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
