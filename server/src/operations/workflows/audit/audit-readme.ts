import { AUDIT_FILES } from '@deputize/protocol'
import { isoInstant } from '../../../domain/times/time.ts'
import type { PackCheckpoint } from '../exports/proof-pack.ts'

/** What the README describes of a pack. */
interface DescribedPack {
  readonly workflows: readonly unknown[]
  readonly checkpoint: PackCheckpoint
  readonly chosen: Readonly<Record<string, unknown>>
}

/** Returns a text on what the archive is and how to check it, for a reader who has nothing else. */
export function auditReadme({ workflows, checkpoint, chosen }: DescribedPack, now_ms: number): string {
  const choice = Object.entries(chosen).map(([name, value]) => `  ${name}: ${[value].flat().join(', ')}`)
  return `AUDIT PACK

Made at ${isoInstant(now_ms)} from the log ${checkpoint.origin}
with ${checkpoint.size} entries. It contains ${workflows.length} ${workflows.length === 1 ? 'workflow' : 'workflows'}.
A workflow is everything that AI agents did with the authority of one person,
from the first token on.

Chosen:
${choice.length === 0 ? '  everything' : choice.join('\n')}


WHAT IS IN IT

  workflows/             One proof pack for each workflow: its log entries with
                         their proofs, and its action records.
  ${AUDIT_FILES.decisions}          Every decision: allowed, denied and why, approved or
                         denied by whom, revoked, suspended.
  ${AUDIT_FILES.policies}          The policies, and which control of which framework
                         each rule stands for.
  ${AUDIT_FILES.policy_table}           For each token and policy: asserted, met, and what is
                         not met.
  ${AUDIT_FILES.checkpoint}         The signed head of the log, with the signatures of
                         witnesses.
  ${AUDIT_FILES.manifest}          What was chosen, and the SHA-256 of each file.
  ${AUDIT_FILES.verdict}           What the verifier found when the pack was made.

People appear as "sha256:...". The same value is the same person. Tokens appear
as the SHA-256 of their ID.


HOW TO CHECK IT WITHOUT US

Get the key of the log from the operator through a channel other than this file:
a contract, paper, their website. This file was made with

  ${checkpoint.vkey}

Compare the two. Then, with the program "deputy" from a source that you trust:

  deputy verify <this archive> --key "<the key that you got>"

It needs no network. It hashes every log entry again, follows every proof to the
signed head of the log, computes ${AUDIT_FILES.decisions} and ${AUDIT_FILES.verdict} again, and names the
file and the line of the first difference. It exits with 0 if the pack is sound.

With "--against <URL of the service>" it also reads the log and reports entries
of these workflows that the pack leaves out. "--witness <key>" requires the
signature of a witness that you trust.

You don't need our program either. A proof pack is a text file with one JSON
object on each line; trees, proofs and checkpoints follow RFC 6962 and the C2SP
formats tlog-checkpoint and signed-note (https://c2sp.org).


WHAT IT DOES NOT SHOW

  - That an agent told the truth about what it did. "evidence" says whether the
    agent reported an action or the service that it called did.
  - Actions that were never reported.
  - That no other workflow fits what was chosen. Only reading the whole log
    shows that.
  - What was found for a policy. The log shows the tokens, not the findings.
    The mapping is not a certification.
  - Notes, metadata and other free text. The log has only keyed digests of them,
    so that they can be erased. Erased text is in no pack.
`
}
