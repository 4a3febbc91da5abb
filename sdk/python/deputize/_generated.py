"""Written by generate.py from openapi.json. Change those, not this file."""

import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias, TypedDict

from deputize.call import UNSET, Call, Unset
from deputize.errors import Refusal
from deputize.transport import AsyncTransport, Transport

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired


__all__ = [
    "AccessChangedEvent",
    "AccessChangedEventData",
    "ActionAuthorizedEvent",
    "ActionAuthorizedEventData",
    "ActionCancelledEvent",
    "ActionCancelledEventData",
    "ActionCompletedEvent",
    "ActionCompletedEventData",
    "ActionDeniedEvent",
    "ActionDeniedEventData",
    "ActionExpiredEvent",
    "ActionExpiredEventData",
    "ActionRatedEvent",
    "ActionRatedEventData",
    "AddChannelResponse",
    "AddChannelSubscriptionInput",
    "AddChannelSubscriptionKeysInput",
    "Agent",
    "AgentActivity",
    "AgentActivityDaysItem",
    "AgentRegisteredEvent",
    "AgentRegisteredEventData",
    "AgentResumedEvent",
    "AgentResumedEventData",
    "AgentRevokedEvent",
    "AgentRevokedEventData",
    "AgentSuspendedEvent",
    "AgentSuspendedEventData",
    "AgentTakenError",
    "AgentUnknownError",
    "AlertFiredEvent",
    "AlertFiredEventData",
    "AlertUnknownError",
    "AlreadyEnrolledError",
    "AlreadySetUpError",
    "AnchorNamedEvent",
    "AnchorNamedEventData",
    "AnchorRemovedEvent",
    "AnswerEarlyError",
    "AnswerLateError",
    "AnswerStepAudioInput",
    "AnswerStepDeviceInput",
    "AnswerStepFramesItemInput",
    "AnswerStepResponse",
    "Approval",
    "ApprovalDecidedError",
    "ApprovalDecidedEvent",
    "ApprovalDecidedEventData",
    "ApprovalEndorsedEvent",
    "ApprovalEndorsedEventData",
    "ApprovalEscalatedEvent",
    "ApprovalEscalatedEventData",
    "ApprovalGrantEndedEvent",
    "ApprovalGrantEndedEventData",
    "ApprovalHabitEndedEvent",
    "ApprovalHabitEndedEventData",
    "ApprovalRequestedEvent",
    "ApprovalRequestedEventData",
    "ApprovalUnknownError",
    "ApproveGrantInput",
    "AuditPackBusyError",
    "AuditPackEmptyError",
    "AuditPackTooLargeError",
    "AuthorizeBatchItemsItemInput",
    "AuthorizeBatchResponse",
    "AuthorizeBatchResponseItemsItem",
    "BeginPasskeyResponse",
    "BeginSessionPasskeyResponse",
    "BeginStepUpResponse",
    "BodyTooLargeError",
    "BudgetExhaustedEvent",
    "BudgetThresholdEvent",
    "BudgetThresholdEventData",
    "CallbackRefusedError",
    "CancelVerificationSessionResponse",
    "CannotVouchError",
    "CaptureResponse",
    "ChannelUnavailableError",
    "ChannelUnknownError",
    "CheckpointPendingError",
    "Claims",
    "ClaimsCnf",
    "ClaimsStatus",
    "ClaimsStatusStatusList",
    "ClaimsSvcPolicyAssertionsItem",
    "ClaimsSvcPolicyAssertionsItemControlsItem",
    "ClaimsSvcScope",
    "ClaimsSvcVerification",
    "ClockJumpedError",
    "CodeRefusedError",
    "CollectHostedSessionResponse",
    "CollectHostedSessionResponseModalitiesItem",
    "ConfirmChannelResponse",
    "ConfirmChannelResponseAttemptsItem",
    "ConfirmChannelResponseLastFailure",
    "ConsentRequiredError",
    "ConstraintsActiveHoursInput",
    "ConstraintsArgumentsValueValueInput",
    "ConstraintsInput",
    "ConstraintsMaxSpendUsdPerInput",
    "ConstraintsRequireApprovalApproversInput",
    "ConstraintsRequireApprovalInput",
    "CreateAlertRuleConditionInput",
    "CreateAlertRuleResponse",
    "CreateHostedSessionRequestInput",
    "CreateHostedSessionResponse",
    "CreateKeyResponse",
    "CreateStreamDeliveryInput",
    "CreateStreamResponse",
    "CreateStreamResponseDelivery",
    "CreateTenantFaceApprovals1Input",
    "CreateTenantMessages1Input",
    "CreateTenantReviewInput",
    "CreateTenantVerification1Input",
    "CreateVerificationSessionConsentInput",
    "CreateVerificationSessionResponse",
    "CreateVerificationSessionResponseCapture",
    "CreateVerificationSessionResponseStep",
    "CreateWebhookResponse",
    "CredentialInvalidError",
    "CredentialRequiredError",
    "CrossSiteRequestError",
    "DecideApprovalsItemsItemInput",
    "DecideApprovalsResponse",
    "DecideApprovalsResponseItemsItem",
    "Decision",
    "DecisionDetailsItem",
    "DelegatedToken",
    "DelegationNotAllowedError",
    "DeleteAlertRuleResponse",
    "DeleteBiometricsResponse",
    "DeleteKeyResponse",
    "DeletePasskeyResponse",
    "DeleteStreamResponse",
    "DeleteWebhookResponse",
    "DeliveryUnknownError",
    "Denial",
    "DenialUnknownError",
    "DeploymentRestoredEvent",
    "DeploymentRestoredEventData",
    "DeputyEvent",
    "DryRunAlertRuleResponse",
    "DryRunAlertRuleResponseDataItem",
    "EndHabitResponse",
    "EndSignInResponse",
    "EngineBusyError",
    "EngineUnavailableError",
    "EnrollResponse",
    "EraseHumanResponse",
    "EvaluateAccessActionInput",
    "EvaluateAccessContextInput",
    "EvaluateAccessResourceInput",
    "EvaluateAccessResponse",
    "EvaluateAccessResponseContext",
    "EvaluateAccessResponseContextError",
    "EvaluateAccessSubjectInput",
    "EvaluateAccessSubjectPropertiesInput",
    "EvaluateAccessesEvaluationsItemInput",
    "EvaluateAccessesOptionsInput",
    "EvaluateAccessesResponse",
    "EvaluatePoliciesResponse",
    "EvaluatePoliciesResponseFindingsItem",
    "EventType",
    "ExchangeTokenResponse",
    "ExportBiometricsResponse",
    "FaceRequiredError",
    "FindTrustPathsResponse",
    "FinishKeyPasskeyResponse",
    "FinishPasskeyLoginResponse",
    "FinishPasskeyLoginResponseInput",
    "FinishPasskeyLoginResponseResponseInput",
    "FinishPasskeyResponse",
    "FinishPasskeyResponseInput",
    "FinishPasskeyResponseResponseInput",
    "FinishStepUpResponse",
    "ForwardedRequestError",
    "GetAuthorizationServerResponse",
    "GetAuthzenConfigurationResponse",
    "GetBiometricsResponse",
    "GetBiometricsResponseConsent",
    "GetConsentResponse",
    "GetConsentResponseTexts",
    "GetConsistencyProofResponse",
    "GetDeploymentResponse",
    "GetDeploymentResponseApi",
    "GetDeploymentResponseLog",
    "GetEngineResponse",
    "GetHealthResponse",
    "GetHumanResponse",
    "GetInclusionProofResponse",
    "GetKeySetResponse",
    "GetKeySetResponseKeysItem",
    "GetLineageResponse",
    "GetLogEntryResponse",
    "GetLoginResponse",
    "GetMeResponse",
    "GetNotificationsResponse",
    "GetNotificationsResponseQuietHours",
    "GetPolicyResponse",
    "GetPolicyResponseRulesItem",
    "GetPolicyResponseRulesItemCheck1",
    "GetPolicyResponseRulesItemCheck2",
    "GetPolicyResponseRulesItemCheck3",
    "GetPolicyResponseRulesItemCheck4",
    "GetPolicyResponseRulesItemCheck5",
    "GetProvenanceResponse",
    "GetReadinessResponse",
    "GetReputationHistoryResponse",
    "GetReputationHistoryResponseDataItem",
    "GetServiceStatusResponse",
    "GetServiceStatusResponseDisk",
    "GetServiceStatusResponseLog",
    "GetServiceStatusResponseMinutesItem",
    "GetServiceStatusResponseWitnesses",
    "GetSsfConfigurationResponse",
    "GetStatsResponse",
    "GetStatsResponseDataItem",
    "GetStatsResponseTotals",
    "GetStreamStatusResponse",
    "GetTokenBudgetResponse",
    "GetTokenBudgetResponsePeriodsItem",
    "GetTokenChainResponse",
    "GetTokenUsageResponse",
    "GetTrustGraphResponse",
    "GetTrustGraphResponseEdgesItem",
    "GetTrustGraphResponseNodesItem",
    "GetVerificationResponse",
    "GetVerificationSessionResponse",
    "GetVouchScoreResponse",
    "GetVouchScoreResponseAsOf",
    "GetVouchScoreResponseCutItem",
    "GetVouchScoreResponsePathsItem",
    "GetVouchScoreResponsePathsItemStepsItem",
    "GetWebhookResponse",
    "GetWorkflowGraphResponse",
    "GetWorkflowGraphResponseEdgesItem",
    "GetWorkflowGraphResponseNodesItem1",
    "GetWorkflowGraphResponseNodesItem2",
    "GetWorkflowGraphResponseNodesItem3",
    "GetWorkflowGraphResponseNodesItem4",
    "GetWorkflowGraphResponseNodesItem5",
    "GetWorkflowGraphResponseNodesItem6",
    "GetWorkflowGraphResponseNodesItem7",
    "HeldKeyError",
    "HostNotAllowedError",
    "HumanAcceptedEvent",
    "HumanErasedEvent",
    "HumanRefusedEvent",
    "HumanRefusesError",
    "HumanRevokedEvent",
    "HumanRevokedEventData",
    "HumanUnknownError",
    "IdempotencyMismatchError",
    "InternalError",
    "IntrospectTokenResponse",
    "InvalidRequestError",
    "IssuedToken",
    "KeyRemovedError",
    "KeyRequiredError",
    "KeyRotatedEvent",
    "KeyRotatedEventData",
    "KeyUnknownError",
    "KeyWithdrawnEvent",
    "KeyWithdrawnEventData",
    "ListAgentsResponse",
    "ListAlertRulesResponse",
    "ListAlertsResponse",
    "ListAlertsResponseDataItem",
    "ListAlertsResponseDataItemCondition",
    "ListAnchorsResponse",
    "ListApprovalsResponse",
    "ListApprovalsResponseDataItem",
    "ListApprovalsResponseDataItemAgent",
    "ListApprovalsResponseDataItemApproversItem",
    "ListApprovalsResponseDataItemDecisionsItem",
    "ListApprovalsResponseDataItemGrant",
    "ListApprovalsResponseDataItemToken",
    "ListCheckpointsResponse",
    "ListCheckpointsResponseDataItem",
    "ListDenialsResponse",
    "ListDescendantsResponse",
    "ListDuressAlertsResponse",
    "ListEventsResponse",
    "ListEventsResponseDataItem2",
    "ListGrantsResponse",
    "ListGrantsResponseDataItem",
    "ListHabitsResponse",
    "ListHabitsResponseDataItem",
    "ListHumansResponse",
    "ListHumansResponseDataItem",
    "ListKeyPasskeysResponse",
    "ListKeysResponse",
    "ListKeysResponseDataItem",
    "ListLogEntriesResponse",
    "ListPasskeysResponse",
    "ListPoliciesResponse",
    "ListPoliciesResponseDataItem",
    "ListProvidersResponse",
    "ListProvidersResponseDataItem",
    "ListRecordsResponse",
    "ListRevocationsResponse",
    "ListSecurityEventsResponse",
    "ListSecurityEventsResponseDataItem",
    "ListSignInsResponse",
    "ListSignInsResponseDataItem",
    "ListSigningKeysResponse",
    "ListSigningKeysResponseDataItem",
    "ListTenantsResponse",
    "ListTokensResponse",
    "ListVerificationsResponse",
    "ListVouchesResponse",
    "ListWebhookDeliveriesResponse",
    "ListWebhooksResponse",
    "ListWitnessesResponse",
    "ListWitnessesResponseDataItem",
    "ListWorkflowsResponse",
    "ListWorkflowsResponseDataItem",
    "LogEntryUnknownError",
    "LogOutResponse",
    "LogRestoredError",
    "LoginNotUsableError",
    "LoginUnknownError",
    "MalformedJsonError",
    "MediaInvalidError",
    "MethodNotAllowedError",
    "NameAnchorResponse",
    "NonceMismatchError",
    "NotAllowedError",
    "NotAnApproverError",
    "NotEnrolledError",
    "NotFoundError",
    "NotYoursError",
    "OpenHostedSessionResponse",
    "OverloadedError",
    "ParentRecordUnknownError",
    "PasskeyRefusedError",
    "PasskeyRequiredError",
    "PasskeyUnknownError",
    "PeerNotLocalError",
    "PolicyUnknownError",
    "PolicyUnmetError",
    "PollStreamResponse",
    "PreviewAuditPackResponse",
    "PreviewDelegationResponse",
    "PreviewDelegationResponseChild",
    "PreviewDelegationResponseRefusal",
    "PreviewHostedSessionResponse",
    "PreviewHostedSessionResponseAskedBy",
    "PreviewHostedSessionResponseConsent",
    "PreviewHostedSessionResponseRequest",
    "PreviewRevocationResponse",
    "ProviderNotAllowedError",
    "ProviderUnavailableError",
    "ProviderUnknownError",
    "REFUSALS",
    "RankAgentsResponse",
    "RankByVouchesResponse",
    "RankByVouchesResponseDataItem",
    "RankTooLowError",
    "RateLimitedError",
    "RateRecordResponse",
    "RatingImmutableError",
    "Receipt",
    "ReceiptEntriesItem",
    "Record",
    "RecordActionResponse",
    "RecordBatchItemsItemInput",
    "RecordBatchResponse",
    "RecordBatchResponseItemsItem",
    "RecordClosedError",
    "RecordUnknownError",
    "RefuseTokensResponse",
    "RegistryChangedEvent",
    "RegistryChangedEventData",
    "RegistryConflictError",
    "ReleaseTokenResponse",
    "RemoveAnchorResponse",
    "RemoveChannelResponse",
    "RenewTokenResponse",
    "Reputation",
    "ReputationExecutionInterval",
    "ReputationRatings",
    "ResolveDuressAlertResponse",
    "RetryWebhookDeliveryResponse",
    "RevokeAgentResponse",
    "RevokeHumanResponse",
    "RevokeOauthTokenResponse",
    "RevokeTokenResponse",
    "RoleNotAllowedError",
    "RotateSigningKeyResponse",
    "RotationTooSoonError",
    "RuleUnknownError",
    "ScopeWideningError",
    "SessionBegunEvent",
    "SessionBegunEventData",
    "SessionClosedError",
    "SessionEndedEvent",
    "SessionNotJudgedError",
    "SessionTakenError",
    "SessionUnknownError",
    "SetDuressResponse",
    "ShuttingDownError",
    "SignInUnknownError",
    "SignInWithKeyResponse",
    "SignOnFailedError",
    "SignOnTooOldError",
    "SigningKeyUnknownError",
    "SpendOutOfRangeError",
    "StartLoginResponse",
    "StepMismatchError",
    "StepUpRequiredError",
    "StorageDamagedError",
    "StorageFullError",
    "StorageUnavailableError",
    "StreamLimitError",
    "StreamUnknownError",
    "SuggestAlertRulesResponse",
    "SuspendTokenResponse",
    "Tenant",
    "TenantExistsError",
    "TenantFaceApprovals",
    "TenantMessages",
    "TenantReview",
    "TenantUnknownError",
    "TenantVerification",
    "TestChannelResponse",
    "TestWebhookResponse",
    "TokenDelegatedEvent",
    "TokenDelegatedEventData",
    "TokenIssuedEvent",
    "TokenIssuedEventData",
    "TokenNotLiveError",
    "TokenRenewedEvent",
    "TokenRenewedEventData",
    "TokenResumedEvent",
    "TokenResumedEventData",
    "TokenRevokedEvent",
    "TokenRevokedEventData",
    "TokenSuspendedEvent",
    "TokenSuspendedEventData",
    "TokenUnknownError",
    "TokenView",
    "TokenViewBudget",
    "TokenViewTightest",
    "TooManyChannelsError",
    "TooManyRulesError",
    "TooManyStreamsError",
    "TransferHostedSessionResponse",
    "TrustUnavailableError",
    "UnsupportedMediaTypeError",
    "VerificationCompletedEvent",
    "VerificationLockedError",
    "VerificationPendingError",
    "VerificationUnknownError",
    "VerificationWithdrawnError",
    "VerifyTokenResponse",
    "VerifyTokenResponseChainItem",
    "VouchChangedEvent",
    "VouchChangedEventData",
    "VouchCreatedEvent",
    "VouchCreatedEventData",
    "VouchEndedError",
    "VouchExistsError",
    "VouchResponse",
    "VouchUnknownError",
    "VouchWithdrawnEvent",
    "VouchWithdrawnEventData",
    "WatchHostedSessionResponse",
    "WebhookDisabledEvent",
    "WebhookDisabledEventData",
    "WebhookLimitError",
    "WebhookUnknownError",
    "WithdrawSigningKeyResponse",
    "WorkflowUnknownError",
]


class InvalidRequestError(Refusal):
    """`invalid_request`: Invalid request."""


class MalformedJsonError(Refusal):
    """`malformed_json`: Invalid JSON."""


class CredentialRequiredError(Refusal):
    """`credential_required`: Missing credential."""


class CredentialInvalidError(Refusal):
    """`credential_invalid`: Invalid credential."""


class CallbackRefusedError(Refusal):
    """`callback_refused`: The service refused."""


class RoleNotAllowedError(Refusal):
    """`role_not_allowed`: Role not allowed."""


class NotYoursError(Refusal):
    """`not_yours`: Not allowed for this credential."""


class StepUpRequiredError(Refusal):
    """`step_up_required`: Passkey confirmation required."""


class PasskeyRequiredError(Refusal):
    """`passkey_required`: Passkey required."""


class FaceRequiredError(Refusal):
    """`face_required`: Biometric verification required."""


class ConsentRequiredError(Refusal):
    """`consent_required`: Consent required."""


class PasskeyRefusedError(Refusal):
    """`passkey_refused`: Passkey refused."""


class HostNotAllowedError(Refusal):
    """`host_not_allowed`: Host not allowed."""


class PeerNotLocalError(Refusal):
    """`peer_not_local`: The service refused."""


class ForwardedRequestError(Refusal):
    """`forwarded_request`: The service refused."""


class CrossSiteRequestError(Refusal):
    """`cross_site_request`: Cross-site request."""


class NotAllowedError(Refusal):
    """`not_allowed`: The token does not allow this action."""


class ScopeWideningError(Refusal):
    """`scope_widening`: The child token asks for more than its parent holds."""


class DelegationNotAllowedError(Refusal):
    """`delegation_not_allowed`: This token cannot be delegated."""


class TokenNotLiveError(Refusal):
    """`token_not_live`: The token is not live."""


class RankTooLowError(Refusal):
    """`rank_too_low`: A higher rank suspended this."""


class KeyRequiredError(Refusal):
    """`key_required`: The token must be bound to a key."""


class HumanRefusesError(Refusal):
    """`human_refuses`: The person refuses new tokens in their name."""


class PolicyUnmetError(Refusal):
    """`policy_unmet`: The token does not meet its policies."""


class ProviderNotAllowedError(Refusal):
    """`provider_not_allowed`: Provider not allowed."""


class SignOnTooOldError(Refusal):
    """`sign_on_too_old`: Sign-in too old."""


class SignOnFailedError(Refusal):
    """`sign_on_failed`: Sign-in failed."""


class NotFoundError(Refusal):
    """`not_found`: The service refused."""


class TokenUnknownError(Refusal):
    """`token_unknown`: Unknown token."""


class RecordUnknownError(Refusal):
    """`record_unknown`: Unknown action record."""


class ParentRecordUnknownError(Refusal):
    """`parent_record_unknown`: Unknown parent action."""


class DenialUnknownError(Refusal):
    """`denial_unknown`: Unknown denial."""


class AgentUnknownError(Refusal):
    """`agent_unknown`: Unknown agent."""


class HumanUnknownError(Refusal):
    """`human_unknown`: Unknown person."""


class WorkflowUnknownError(Refusal):
    """`workflow_unknown`: Unknown workflow."""


class ApprovalUnknownError(Refusal):
    """`approval_unknown`: Unknown approval."""


class LoginUnknownError(Refusal):
    """`login_unknown`: Unknown sign-in."""


class ProviderUnknownError(Refusal):
    """`provider_unknown`: Unknown provider."""


class LogEntryUnknownError(Refusal):
    """`log_entry_unknown`: Unknown log entry."""


class PolicyUnknownError(Refusal):
    """`policy_unknown`: Unknown policy."""


class TenantUnknownError(Refusal):
    """`tenant_unknown`: Unknown tenant."""


class KeyUnknownError(Refusal):
    """`key_unknown`: Unknown API key."""


class PasskeyUnknownError(Refusal):
    """`passkey_unknown`: Unknown passkey."""


class SignInUnknownError(Refusal):
    """`sign_in_unknown`: Unknown session."""


class SessionUnknownError(Refusal):
    """`session_unknown`: Unknown verification session."""


class VerificationUnknownError(Refusal):
    """`verification_unknown`: Unknown verification."""


class WebhookUnknownError(Refusal):
    """`webhook_unknown`: Unknown webhook."""


class DeliveryUnknownError(Refusal):
    """`delivery_unknown`: Unknown delivery."""


class SigningKeyUnknownError(Refusal):
    """`signing_key_unknown`: Unknown signing key."""


class MethodNotAllowedError(Refusal):
    """`method_not_allowed`: The service refused."""


class NotEnrolledError(Refusal):
    """`not_enrolled`: This person is not enrolled."""


class AlreadyEnrolledError(Refusal):
    """`already_enrolled`: This person is already enrolled."""


class RatingImmutableError(Refusal):
    """`rating_immutable`: This action is already rated."""


class LoginNotUsableError(Refusal):
    """`login_not_usable`: This sign-in cannot be used."""


class CannotVouchError(Refusal):
    """`cannot_vouch`: You cannot vouch for this."""


class NotAnApproverError(Refusal):
    """`not_an_approver`: You cannot approve this request."""


class AgentTakenError(Refusal):
    """`agent_taken`: The agent belongs to someone else."""


class KeyRemovedError(Refusal):
    """`key_removed`: The agent no longer uses this key."""


class ApprovalDecidedError(Refusal):
    """`approval_decided`: This approval is already decided."""


class AlertUnknownError(Refusal):
    """`alert_unknown`: Unknown alert."""


class StreamUnknownError(Refusal):
    """`stream_unknown`: Unknown stream."""


class RuleUnknownError(Refusal):
    """`rule_unknown`: Unknown alert rule."""


class TooManyRulesError(Refusal):
    """`too_many_rules`: Too many alert rules."""


class AuditPackEmptyError(Refusal):
    """`audit_pack_empty`: The audit pack would be empty."""


class AuditPackTooLargeError(Refusal):
    """`audit_pack_too_large`: The audit pack is too large."""


class VouchUnknownError(Refusal):
    """`vouch_unknown`: Unknown vouch."""


class ChannelUnknownError(Refusal):
    """`channel_unknown`: Unknown channel."""


class ChannelUnavailableError(Refusal):
    """`channel_unavailable`: Channel not available."""


class TooManyChannelsError(Refusal):
    """`too_many_channels`: Too many channels."""


class CodeRefusedError(Refusal):
    """`code_refused`: Code refused."""


class VouchExistsError(Refusal):
    """`vouch_exists`: You already vouch for this."""


class VouchEndedError(Refusal):
    """`vouch_ended`: This vouch has ended."""


class TenantExistsError(Refusal):
    """`tenant_exists`: This tenant already exists."""


class RegistryConflictError(Refusal):
    """`registry_conflict`: Conflicting change."""


class HeldKeyError(Refusal):
    """`held_key`: This key belongs to a sign-in."""


class AlreadySetUpError(Refusal):
    """`already_set_up`: Setup is already done."""


class SpendOutOfRangeError(Refusal):
    """`spend_out_of_range`: The total of the token is out of range."""


class RotationTooSoonError(Refusal):
    """`rotation_too_soon`: The next signing key is too new."""


class SessionClosedError(Refusal):
    """`session_closed`: The verification session is closed."""


class SessionTakenError(Refusal):
    """`session_taken`: Another device has this session."""


class SessionNotJudgedError(Refusal):
    """`session_not_judged`: The verification session is not judged yet."""


class VerificationPendingError(Refusal):
    """`verification_pending`: The verification provider has not decided yet."""


class VerificationWithdrawnError(Refusal):
    """`verification_withdrawn`: The verification provider withdrew its decision."""


class StepMismatchError(Refusal):
    """`step_mismatch`: Wrong step."""


class NonceMismatchError(Refusal):
    """`nonce_mismatch`: Wrong nonce."""


class AnswerEarlyError(Refusal):
    """`answer_early`: The answer came too early."""


class AnswerLateError(Refusal):
    """`answer_late`: The answer came too late."""


class RecordClosedError(Refusal):
    """`record_closed`: This action record is closed."""


class BodyTooLargeError(Refusal):
    """`body_too_large`: Body too large."""


class UnsupportedMediaTypeError(Refusal):
    """`unsupported_media_type`: Unsupported media type."""


class MediaInvalidError(Refusal):
    """`media_invalid`: The recording cannot be read."""


class IdempotencyMismatchError(Refusal):
    """`idempotency_mismatch`: Idempotency-Key reused with another request."""


class WebhookLimitError(Refusal):
    """`webhook_limit`: Too many webhooks."""


class StreamLimitError(Refusal):
    """`stream_limit`: Too many signal streams."""


class RateLimitedError(Refusal):
    """`rate_limited`: Too many requests."""


class LogRestoredError(Refusal):
    """`log_restored`: The log was restored from a backup."""


class TooManyStreamsError(Refusal):
    """`too_many_streams`: Too many open event streams."""


class AuditPackBusyError(Refusal):
    """`audit_pack_busy`: Another audit pack is being made."""


class VerificationLockedError(Refusal):
    """`verification_locked`: Too many failed verifications."""


class InternalError(Refusal):
    """`internal`: Internal error."""


class OverloadedError(Refusal):
    """`overloaded`: The service is overloaded."""


class StorageUnavailableError(Refusal):
    """`storage_unavailable`: The store is unavailable."""


class StorageFullError(Refusal):
    """`storage_full`: The disk is full."""


class StorageDamagedError(Refusal):
    """`storage_damaged`: The stored log is damaged."""


class ClockJumpedError(Refusal):
    """`clock_jumped`: The clock of the service is wrong."""


class ProviderUnavailableError(Refusal):
    """`provider_unavailable`: The provider is unavailable."""


class EngineUnavailableError(Refusal):
    """`engine_unavailable`: The verification engine is unavailable."""


class EngineBusyError(Refusal):
    """`engine_busy`: The verification engine is busy."""


class TrustUnavailableError(Refusal):
    """`trust_unavailable`: Scores cannot be computed now."""


class CheckpointPendingError(Refusal):
    """`checkpoint_pending`: No checkpoint covers this yet."""


class ShuttingDownError(Refusal):
    """`shutting_down`: The service is shutting down."""


REFUSALS: Final[Mapping[str, type[Refusal]]] = {
    "invalid_request": InvalidRequestError,
    "malformed_json": MalformedJsonError,
    "credential_required": CredentialRequiredError,
    "credential_invalid": CredentialInvalidError,
    "callback_refused": CallbackRefusedError,
    "role_not_allowed": RoleNotAllowedError,
    "not_yours": NotYoursError,
    "step_up_required": StepUpRequiredError,
    "passkey_required": PasskeyRequiredError,
    "face_required": FaceRequiredError,
    "consent_required": ConsentRequiredError,
    "passkey_refused": PasskeyRefusedError,
    "host_not_allowed": HostNotAllowedError,
    "peer_not_local": PeerNotLocalError,
    "forwarded_request": ForwardedRequestError,
    "cross_site_request": CrossSiteRequestError,
    "not_allowed": NotAllowedError,
    "scope_widening": ScopeWideningError,
    "delegation_not_allowed": DelegationNotAllowedError,
    "token_not_live": TokenNotLiveError,
    "rank_too_low": RankTooLowError,
    "key_required": KeyRequiredError,
    "human_refuses": HumanRefusesError,
    "policy_unmet": PolicyUnmetError,
    "provider_not_allowed": ProviderNotAllowedError,
    "sign_on_too_old": SignOnTooOldError,
    "sign_on_failed": SignOnFailedError,
    "not_found": NotFoundError,
    "token_unknown": TokenUnknownError,
    "record_unknown": RecordUnknownError,
    "parent_record_unknown": ParentRecordUnknownError,
    "denial_unknown": DenialUnknownError,
    "agent_unknown": AgentUnknownError,
    "human_unknown": HumanUnknownError,
    "workflow_unknown": WorkflowUnknownError,
    "approval_unknown": ApprovalUnknownError,
    "login_unknown": LoginUnknownError,
    "provider_unknown": ProviderUnknownError,
    "log_entry_unknown": LogEntryUnknownError,
    "policy_unknown": PolicyUnknownError,
    "tenant_unknown": TenantUnknownError,
    "key_unknown": KeyUnknownError,
    "passkey_unknown": PasskeyUnknownError,
    "sign_in_unknown": SignInUnknownError,
    "session_unknown": SessionUnknownError,
    "verification_unknown": VerificationUnknownError,
    "webhook_unknown": WebhookUnknownError,
    "delivery_unknown": DeliveryUnknownError,
    "signing_key_unknown": SigningKeyUnknownError,
    "method_not_allowed": MethodNotAllowedError,
    "not_enrolled": NotEnrolledError,
    "already_enrolled": AlreadyEnrolledError,
    "rating_immutable": RatingImmutableError,
    "login_not_usable": LoginNotUsableError,
    "cannot_vouch": CannotVouchError,
    "not_an_approver": NotAnApproverError,
    "agent_taken": AgentTakenError,
    "key_removed": KeyRemovedError,
    "approval_decided": ApprovalDecidedError,
    "alert_unknown": AlertUnknownError,
    "stream_unknown": StreamUnknownError,
    "rule_unknown": RuleUnknownError,
    "too_many_rules": TooManyRulesError,
    "audit_pack_empty": AuditPackEmptyError,
    "audit_pack_too_large": AuditPackTooLargeError,
    "vouch_unknown": VouchUnknownError,
    "channel_unknown": ChannelUnknownError,
    "channel_unavailable": ChannelUnavailableError,
    "too_many_channels": TooManyChannelsError,
    "code_refused": CodeRefusedError,
    "vouch_exists": VouchExistsError,
    "vouch_ended": VouchEndedError,
    "tenant_exists": TenantExistsError,
    "registry_conflict": RegistryConflictError,
    "held_key": HeldKeyError,
    "already_set_up": AlreadySetUpError,
    "spend_out_of_range": SpendOutOfRangeError,
    "rotation_too_soon": RotationTooSoonError,
    "session_closed": SessionClosedError,
    "session_taken": SessionTakenError,
    "session_not_judged": SessionNotJudgedError,
    "verification_pending": VerificationPendingError,
    "verification_withdrawn": VerificationWithdrawnError,
    "step_mismatch": StepMismatchError,
    "nonce_mismatch": NonceMismatchError,
    "answer_early": AnswerEarlyError,
    "answer_late": AnswerLateError,
    "record_closed": RecordClosedError,
    "body_too_large": BodyTooLargeError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "media_invalid": MediaInvalidError,
    "idempotency_mismatch": IdempotencyMismatchError,
    "webhook_limit": WebhookLimitError,
    "stream_limit": StreamLimitError,
    "rate_limited": RateLimitedError,
    "log_restored": LogRestoredError,
    "too_many_streams": TooManyStreamsError,
    "audit_pack_busy": AuditPackBusyError,
    "verification_locked": VerificationLockedError,
    "internal": InternalError,
    "overloaded": OverloadedError,
    "storage_unavailable": StorageUnavailableError,
    "storage_full": StorageFullError,
    "storage_damaged": StorageDamagedError,
    "clock_jumped": ClockJumpedError,
    "provider_unavailable": ProviderUnavailableError,
    "engine_unavailable": EngineUnavailableError,
    "engine_busy": EngineBusyError,
    "trust_unavailable": TrustUnavailableError,
    "checkpoint_pending": CheckpointPendingError,
    "shutting_down": ShuttingDownError,
}


EventType: TypeAlias = Literal["token.issued", "token.delegated", "token.renewed", "token.revoked", "token.suspended", "token.resumed", "action.authorized", "action.denied", "action.completed", "action.cancelled", "action.expired", "action.rated", "approval.requested", "approval.endorsed", "approval.escalated", "approval.decided", "approval.grant_ended", "approval.habit_ended", "budget.threshold", "budget.exhausted", "agent.registered", "agent.suspended", "agent.resumed", "agent.revoked", "human.revoked", "human.refused", "human.accepted", "human.erased", "vouch.created", "vouch.changed", "vouch.withdrawn", "anchor.named", "anchor.removed", "alert.fired", "verification.completed", "session.begun", "session.ended", "key.rotated", "key.withdrawn", "access.changed", "deployment.restored", "webhook.disabled", "registry.changed"]


class ConstraintsMaxSpendUsdPerInput(TypedDict):
    hour: NotRequired[float]
    day: NotRequired[float]
    week: NotRequired[float]
    month: NotRequired[float]
    time_zone: NotRequired[str]


ConstraintsActiveHoursInput = TypedDict(
    "ConstraintsActiveHoursInput",
    {
        "time_zone": str,
        "days": NotRequired[Sequence[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]],
        "from": str,
        "to": str,
    },
)


class ConstraintsRequireApprovalApproversInput(TypedDict):
    count: int
    people: NotRequired[Sequence[str]]
    role: NotRequired[Literal["reviewer"]]


class ConstraintsRequireApprovalInput(TypedDict):
    actions: NotRequired[Sequence[str]]
    resources: NotRequired[Sequence[str]]
    above_usd: NotRequired[float]
    auto_approve_after: NotRequired[int]
    approvers: NotRequired[ConstraintsRequireApprovalApproversInput]


class ConstraintsArgumentsValueValueInput(TypedDict):
    max: NotRequired[float]
    min: NotRequired[float]
    one_of: NotRequired[Sequence[str | float | bool | None]]
    matches: NotRequired[str | Sequence[str]]
    max_length: NotRequired[int]


class ConstraintsInput(TypedDict):
    max_spend_usd: NotRequired[float]
    max_spend_per_action_usd: NotRequired[float]
    max_spend_usd_per: NotRequired[ConstraintsMaxSpendUsdPerInput]
    max_overrun_pct: NotRequired[int]
    max_actions: NotRequired[int]
    max_actions_per_minute: NotRequired[int]
    not_before: NotRequired[str]
    expires_at: NotRequired[str]
    active_hours: NotRequired[ConstraintsActiveHoursInput]
    max_delegation_depth: NotRequired[int]
    require_approval: NotRequired[ConstraintsRequireApprovalInput]
    arguments: NotRequired[Mapping[str, Mapping[str, ConstraintsArgumentsValueValueInput]]]
    min_reputation: NotRequired[float]
    min_vouch_score: NotRequired[float]
    verification_providers: NotRequired[Sequence[str]]
    allowed_audiences: NotRequired[Sequence[str]]


class ClaimsSvcScope(TypedDict):
    resources: list[str]
    actions: list[str]


class ClaimsSvcVerification(TypedDict):
    id: str
    methods: list[str]
    verified_at: int
    provider: str


class ClaimsSvcPolicyAssertionsItemControlsItem(TypedDict):
    id: str
    rule: str
    evidence: str


class ClaimsSvcPolicyAssertionsItem(TypedDict):
    framework: Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]
    version: str
    controls: list[ClaimsSvcPolicyAssertionsItemControlsItem]


class ClaimsStatusStatusList(TypedDict):
    idx: int
    uri: str


class ClaimsStatus(TypedDict):
    status_list: ClaimsStatusStatusList


class ClaimsCnf(TypedDict):
    jkt: str


class Claims(TypedDict):
    iss: str
    sub: str
    aud: NotRequired[str]
    iat: int
    nbf: int
    exp: int
    jti: str
    svc_env: NotRequired[str]
    svc_tenant: NotRequired[str]
    svc_trust_score: float
    svc_scope: ClaimsSvcScope
    svc_assurance_level: Literal["L1", "L2", "L3"]
    svc_human_ref: str
    svc_email_verified: NotRequired[bool]
    svc_provider: NotRequired[str]
    amr: NotRequired[list[str]]
    auth_time: NotRequired[int]
    svc_verification: NotRequired[ClaimsSvcVerification]
    svc_provenance_ref: str
    svc_delegation_depth: int
    svc_root_jti: str
    svc_parent_jti: NotRequired[str]
    svc_parent_hash: NotRequired[str]
    svc_renews_jti: NotRequired[str]
    act: NotRequired[dict[str, Any]]
    svc_constraints: NotRequired[dict[str, Any]]
    svc_policy_assertions: NotRequired[list[ClaimsSvcPolicyAssertionsItem]]
    status: NotRequired[ClaimsStatus]
    cnf: NotRequired[ClaimsCnf]


class IssuedToken(TypedDict):
    jti: str
    provenance_ref: str
    compact_jwt: str
    claims: Claims


class DelegatedToken(TypedDict):
    jti: str
    provenance_ref: str
    compact_jwt: str
    claims: Claims
    parent_jti: str
    root_jti: str
    delegation_depth: int


class PreviewDelegationResponseRefusal(TypedDict):
    code: str
    detail: str


class PreviewDelegationResponseChild(TypedDict):
    agent_id: str
    resources: list[str]
    actions: list[str]
    constraints: dict[str, Any]
    delegation_depth: int
    trust_score: float
    expires_at: str


class PreviewDelegationResponse(TypedDict):
    allowed: bool
    widening: list[str]
    reasons: list[Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"]]
    unmet: list[str]
    obstacle: NotRequired[str]
    refusal: NotRequired[PreviewDelegationResponseRefusal]
    child: PreviewDelegationResponseChild


class RenewTokenResponse(TypedDict):
    jti: str
    provenance_ref: str
    compact_jwt: str
    claims: Claims
    renews_jti: str
    root_jti: str
    delegation_depth: int


class TokenViewBudget(TypedDict):
    allocated_usd: float
    spent_usd: float
    reserved_usd: float
    remaining_usd: float


class TokenViewTightest(TypedDict):
    jti: str
    allocated_usd: float
    spent_usd: float
    reserved_usd: float
    remaining_usd: float


class TokenView(TypedDict):
    jti: str
    provenance_ref: str
    root_jti: str
    parent_jti: NotRequired[str]
    renews_jti: NotRequired[str]
    agent_id: str
    human_ref: str
    assurance_level: Literal["L1", "L2", "L3"]
    delegation_depth: int
    status: Literal["live", "not_yet_valid", "expired", "suspended", "revoked"]
    claims: Claims
    purpose: NotRequired[str]
    total_actions: int
    budget: NotRequired[TokenViewBudget]
    tightest: NotRequired[TokenViewTightest]
    issued_at: str
    expires_at: str
    revoked_at: NotRequired[str]
    revoke_reason: NotRequired[str]
    suspended_at: NotRequired[str]
    suspended_by: NotRequired[Literal["agent", "developer", "person", "operator"]]
    suspend_reason: NotRequired[str]
    suspend_code: NotRequired[Literal["exceeded_authorization"]]
    erased: NotRequired[bool]
    log_index: int


class ListTokensResponse(TypedDict):
    data: list[TokenView]
    next_cursor: str | None
    has_more: bool
    total: NotRequired[int]
    total_is_at_least: NotRequired[bool]


class GetTokenChainResponse(TypedDict):
    data: list[TokenView]


class ListDescendantsResponse(TypedDict):
    data: list[TokenView]
    next_cursor: str | None
    has_more: bool


class GetTokenBudgetResponsePeriodsItem(TypedDict):
    jti: str
    period: Literal["hour", "day", "week", "month"]
    limit_usd: float
    spent_usd: float
    reserved_usd: float
    remaining_usd: float
    starts_at: str
    resets_at: str


class GetTokenBudgetResponse(TypedDict):
    jti: str
    spent_usd: float
    reserved_usd: float
    allocated_usd: NotRequired[float]
    remaining_usd: NotRequired[float]
    tightest: NotRequired[TokenViewTightest]
    periods: NotRequired[list[GetTokenBudgetResponsePeriodsItem]]


class GetTokenUsageResponse(TypedDict):
    jti: str
    granted: ClaimsSvcScope
    used: ClaimsSvcScope
    unused: ClaimsSvcScope
    suggested_scope: ClaimsSvcScope
    records_seen: int


class RevokeTokenResponse(TypedDict):
    revoked: bool
    already_revoked: bool
    jti: str
    revoked_at: str
    revoked_count: int
    provenance_ref: str


class PreviewRevocationResponse(TypedDict):
    jti: str
    already_revoked: bool
    live_tokens: int
    agents: list[str]
    pending_records: int
    reserved_usd: float


class SuspendTokenResponse(TypedDict):
    jti: str
    suspended: bool
    changed: bool
    at: str
    suspended_by: NotRequired[Literal["agent", "developer", "person", "operator"]]


class ReleaseTokenResponse(TypedDict):
    released: bool
    jti: str


class VerifyTokenResponseChainItem(TypedDict):
    jti: str
    agent_id: str
    delegation_depth: int
    status: Literal["live", "not_yet_valid", "expired", "suspended", "revoked"]
    expires_at: str


class VerifyTokenResponse(TypedDict):
    valid: bool
    reason: NotRequired[Literal["malformed", "unsupported_algorithm", "unknown_key", "withdrawn_key", "bad_signature", "wrong_type", "wrong_issuer", "wrong_audience", "not_yet_valid", "expired", "lifetime_too_long", "bad_claim", "not_issued", "token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid"]]
    claims: NotRequired[Claims]
    chain: list[VerifyTokenResponseChainItem]


class IntrospectTokenResponse(TypedDict):
    active: bool
    scope: NotRequired[str]
    client_id: NotRequired[str]
    token_type: NotRequired[Literal["DPoP", "Bearer"]]
    iss: NotRequired[str]
    sub: NotRequired[str]
    aud: NotRequired[str]
    iat: NotRequired[int]
    nbf: NotRequired[int]
    exp: NotRequired[int]
    jti: NotRequired[str]
    svc_env: NotRequired[str]
    svc_tenant: NotRequired[str]
    svc_trust_score: NotRequired[float]
    svc_scope: NotRequired[ClaimsSvcScope]
    svc_assurance_level: NotRequired[Literal["L1", "L2", "L3"]]
    svc_human_ref: NotRequired[str]
    svc_email_verified: NotRequired[bool]
    svc_provider: NotRequired[str]
    amr: NotRequired[list[str]]
    auth_time: NotRequired[int]
    svc_verification: NotRequired[ClaimsSvcVerification]
    svc_provenance_ref: NotRequired[str]
    svc_delegation_depth: NotRequired[int]
    svc_root_jti: NotRequired[str]
    svc_parent_jti: NotRequired[str]
    svc_parent_hash: NotRequired[str]
    svc_renews_jti: NotRequired[str]
    act: NotRequired[dict[str, Any]]
    svc_constraints: NotRequired[dict[str, Any]]
    svc_policy_assertions: NotRequired[list[ClaimsSvcPolicyAssertionsItem]]
    status: NotRequired[ClaimsStatus]
    cnf: NotRequired[ClaimsCnf]


class ExchangeTokenResponse(TypedDict):
    access_token: str
    issued_token_type: Literal["urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:access_token"]
    token_type: Literal["DPoP", "Bearer"]
    expires_in: int
    scope: str


class RevokeOauthTokenResponse(TypedDict):
    revoked: bool


class ListRevocationsResponse(TypedDict):
    jwt: str


class RecordActionResponse(TypedDict):
    recorded: bool
    aar_id: str
    provenance_ref: str
    trust_score: float
    delegation_depth: int


class RecordBatchItemsItemInput(TypedDict):
    vat_jti: str
    action: str
    resource: str
    result: str
    result_hash: NotRequired[str]
    spend_usd: NotRequired[float]
    parent_aar_id: NotRequired[str]
    approval_id: NotRequired[str]
    metadata: NotRequired[Mapping[str, Any]]


class RecordBatchResponseItemsItem(TypedDict):
    status: int
    answer: NotRequired[RecordActionResponse]
    problem: NotRequired[dict[str, Any]]


class RecordBatchResponse(TypedDict):
    items: list[RecordBatchResponseItemsItem]


class DecisionDetailsItem(TypedDict):
    reason: Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"]
    path: NotRequired[str]
    rule: NotRequired[Literal["required", "type", "max", "min", "one_of", "matches", "max_length"]]
    limit: NotRequired[Literal["max_spend_usd", "max_spend_per_action_usd"]]
    remaining_usd: NotRequired[float]
    period: NotRequired[Literal["hour", "day", "week", "month"]]
    resets_at: NotRequired[str]
    vouch_score: NotRequired[float]
    log_size: NotRequired[int]
    approval: NotRequired[Literal["unknown", "used", "other_request", "expired"]]


class Decision(TypedDict):
    authorized: bool
    aar_id: NotRequired[str]
    reason: NotRequired[Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"]]
    reasons: NotRequired[list[Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"]]]
    details: NotRequired[list[DecisionDetailsItem]]
    denial_id: NotRequired[str]
    approval_id: NotRequired[str]
    dry_run: NotRequired[bool]
    trust_score: float
    delegation_depth: int
    provenance_ref: str
    human_ref: str
    assurance_level: Literal["L1", "L2", "L3"]
    expires_at: NotRequired[str]


class AuthorizeBatchItemsItemInput(TypedDict):
    vat_jti: str
    action: str
    resource: str
    spend_usd: NotRequired[float]
    parent_aar_id: NotRequired[str]
    approval_id: NotRequired[str]
    metadata: NotRequired[Mapping[str, Any]]
    dry_run: NotRequired[bool]


class AuthorizeBatchResponseItemsItem(TypedDict):
    status: int
    answer: NotRequired[Decision]
    problem: NotRequired[dict[str, Any]]


class AuthorizeBatchResponse(TypedDict):
    items: list[AuthorizeBatchResponseItemsItem]


class EvaluateAccessSubjectPropertiesInput(TypedDict):
    vat_jti: NotRequired[str]


class EvaluateAccessSubjectInput(TypedDict):
    type: str
    id: str
    properties: NotRequired[EvaluateAccessSubjectPropertiesInput]


class EvaluateAccessActionInput(TypedDict):
    name: str
    properties: NotRequired[Mapping[str, Any]]


class EvaluateAccessResourceInput(TypedDict):
    type: str
    id: str
    properties: NotRequired[Mapping[str, Any]]


class EvaluateAccessContextInput(TypedDict):
    record: NotRequired[bool]
    spend_usd: NotRequired[float]
    approval_id: NotRequired[str]
    parent_aar_id: NotRequired[str]


class EvaluateAccessResponseContextError(TypedDict):
    status: int
    message: str


class EvaluateAccessResponseContext(TypedDict):
    id: NotRequired[Literal["subject_unknown", "subject_mismatch", "token_required", "token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"]]
    reason_admin: NotRequired[dict[str, Any]]
    reason_user: NotRequired[dict[str, Any]]
    details: NotRequired[list[DecisionDetailsItem]]
    error: NotRequired[EvaluateAccessResponseContextError]
    aar_id: NotRequired[str]
    expires_at: NotRequired[str]
    denial_id: NotRequired[str]
    approval_id: NotRequired[str]
    provenance_ref: NotRequired[str]
    trust_score: NotRequired[float]


class EvaluateAccessResponse(TypedDict):
    decision: bool
    context: EvaluateAccessResponseContext


class EvaluateAccessesEvaluationsItemInput(TypedDict):
    subject: NotRequired[EvaluateAccessSubjectInput]
    action: NotRequired[EvaluateAccessActionInput]
    resource: NotRequired[EvaluateAccessResourceInput]
    context: NotRequired[EvaluateAccessContextInput]


class EvaluateAccessesOptionsInput(TypedDict):
    evaluations_semantic: NotRequired[Literal["execute_all", "deny_on_first_deny", "permit_on_first_permit"]]


class EvaluateAccessesResponse(TypedDict):
    decision: NotRequired[bool]
    context: NotRequired[EvaluateAccessResponseContext]
    evaluations: NotRequired[list[EvaluateAccessResponse]]


class Record(TypedDict):
    aar_id: str
    provenance_ref: str
    vat_jti: str
    root_jti: str
    agent_id: str
    human_ref: str
    assurance_level: Literal["L1", "L2", "L3"]
    trust_score: float
    delegation_depth: int
    action: str
    resource: str
    state: Literal["pending", "completed", "cancelled", "expired"]
    result: NotRequired[str]
    result_hash: NotRequired[str]
    spend_usd: float
    parent_aar_id: NotRequired[str]
    evidence: Literal["self_reported", "observed", "countersigned"]
    metadata: NotRequired[dict[str, Any]]
    trace_id: NotRequired[str]
    created_at: str
    expires_at: NotRequired[str]
    completed_at: NotRequired[str]
    completed_after_revocation: NotRequired[bool]
    over_budget: NotRequired[bool]
    exceeded: NotRequired[bool]
    rating: NotRequired[Literal["approved", "flagged", "rejected"]]
    feedback_at: NotRequired[str]
    note: NotRequired[str]
    rater_assurance: NotRequired[str]
    erased: NotRequired[bool]
    log_index: int
    leaf_hash: str
    completed_log_index: NotRequired[int]
    rated_log_index: NotRequired[int]


class ListRecordsResponse(TypedDict):
    data: list[Record]
    next_cursor: str | None
    has_more: bool


class Denial(TypedDict):
    denial_id: str
    provenance_ref: str
    vat_jti: str
    agent_id: str
    human_ref: str
    assurance_level: Literal["L1", "L2", "L3"]
    trust_score: float
    delegation_depth: int
    action: str
    resource: str
    spend_usd: float
    reason: Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"]
    reasons: list[Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"]]
    trace_id: NotRequired[str]
    created_at: str
    log_index: int
    leaf_hash: str


class ListDenialsResponse(TypedDict):
    data: list[Denial]
    next_cursor: str | None
    has_more: bool
    total: NotRequired[int]
    total_is_at_least: NotRequired[bool]


class RateRecordResponse(TypedDict):
    aar_id: str
    rating: Literal["approved", "flagged", "rejected"]
    feedback_at: str


class ListApprovalsResponseDataItemApproversItem(TypedDict):
    count: int
    people: NotRequired[list[str]]
    role: NotRequired[str]


class ListApprovalsResponseDataItemDecisionsItem(TypedDict):
    by: str
    decision: Literal["approved", "denied"]
    at: str


class ListApprovalsResponseDataItemGrant(TypedDict):
    expires_at: str
    max_spend_usd: float


class ListApprovalsResponseDataItemToken(TypedDict):
    purpose: NotRequired[str]
    status: Literal["live", "not_yet_valid", "expired", "suspended", "revoked"]
    expires_at: str
    delegation_depth: int
    asked_because: list[Literal["always", "action", "resource", "amount", "review"]]
    tightest: NotRequired[TokenViewTightest]
    remaining_after_usd: NotRequired[float]


class ListApprovalsResponseDataItemAgent(TypedDict):
    display_name: NotRequired[str]
    combined_reputation: float
    has_human_feedback: bool
    total_actions: int
    suspended: bool


class ListApprovalsResponseDataItem(TypedDict):
    approval_id: str
    state: Literal["pending", "approved", "denied", "expired"]
    vat_jti: str
    provenance_ref: str
    agent_id: str
    human_ref: str
    assurance_level: Literal["L1", "L2", "L3"]
    action: str
    resource: str
    spend_usd: float
    metadata: NotRequired[dict[str, Any]]
    summary: NotRequired[list[str]]
    required: int
    approvers: NotRequired[list[ListApprovalsResponseDataItemApproversItem]]
    decisions: list[ListApprovalsResponseDataItemDecisionsItem]
    created_at: str
    expires_at: str
    decided_at: NotRequired[str]
    decided_by: NotRequired[str]
    note: NotRequired[str]
    grant: NotRequired[ListApprovalsResponseDataItemGrant]
    grant_id: NotRequired[str]
    used_by: NotRequired[str]
    erased: NotRequired[bool]
    log_index: int
    decided_log_index: NotRequired[int]
    token: NotRequired[ListApprovalsResponseDataItemToken]
    agent: NotRequired[ListApprovalsResponseDataItemAgent]


class ListApprovalsResponse(TypedDict):
    data: list[ListApprovalsResponseDataItem]
    next_cursor: str | None
    has_more: bool
    total: NotRequired[int]
    total_is_at_least: NotRequired[bool]


class Approval(TypedDict):
    approval_id: str
    state: Literal["pending", "approved", "denied", "expired"]
    vat_jti: str
    provenance_ref: str
    agent_id: str
    human_ref: str
    assurance_level: Literal["L1", "L2", "L3"]
    action: str
    resource: str
    spend_usd: float
    metadata: NotRequired[dict[str, Any]]
    summary: NotRequired[list[str]]
    required: int
    approvers: NotRequired[list[ListApprovalsResponseDataItemApproversItem]]
    decisions: list[ListApprovalsResponseDataItemDecisionsItem]
    created_at: str
    expires_at: str
    decided_at: NotRequired[str]
    decided_by: NotRequired[str]
    note: NotRequired[str]
    grant: NotRequired[ListApprovalsResponseDataItemGrant]
    grant_id: NotRequired[str]
    used_by: NotRequired[str]
    erased: NotRequired[bool]
    log_index: int
    decided_log_index: NotRequired[int]


class ApproveGrantInput(TypedDict):
    minutes: int
    max_spend_usd: NotRequired[float]


class DecideApprovalsItemsItemInput(TypedDict):
    approval_id: str
    decision: Literal["approved", "denied"]
    note: NotRequired[str]


class DecideApprovalsResponseItemsItem(TypedDict):
    status: int
    answer: NotRequired[Approval]
    problem: NotRequired[dict[str, Any]]


class DecideApprovalsResponse(TypedDict):
    items: list[DecideApprovalsResponseItemsItem]


class ListHabitsResponseDataItem(TypedDict):
    agent_id: str
    human_ref: str
    action: str
    resource: str
    root_jti: str
    covers_usd: float
    approvals: int
    auto_approvals: int
    last_human_at: str


class ListHabitsResponse(TypedDict):
    data: list[ListHabitsResponseDataItem]


class EndHabitResponse(TypedDict):
    ended: bool


class ListGrantsResponseDataItem(TypedDict):
    approval_id: str
    agent_id: str
    human_ref: str
    action: str
    resource: str
    root_jti: str
    expires_at: str
    max_spend_usd: float
    spent_usd: float
    uses: int


class ListGrantsResponse(TypedDict):
    data: list[ListGrantsResponseDataItem]


class RevokeAgentResponse(TypedDict):
    revoked: bool
    revoked_at: str
    revoked_count: int
    agent_id: str


class AgentActivityDaysItem(TypedDict):
    start: str
    allowed: int
    denied: int
    spend_usd: float


class AgentActivity(TypedDict):
    allowed: int
    denied: int
    spend_usd: float
    last_denied_at: NotRequired[str]
    days: list[AgentActivityDaysItem]


class Agent(TypedDict):
    agent_id: str
    display_name: NotRequired[str]
    owner: NotRequired[str]
    model: NotRequired[str]
    url: NotRequired[str]
    owned_by: NotRequired[list[str]]
    keys: NotRequired[list[str]]
    live_tokens: NotRequired[int]
    activity: NotRequired[AgentActivity]
    suspended: bool
    suspended_at: NotRequired[str]
    suspended_by: NotRequired[Literal["agent", "developer", "person", "operator"]]
    suspend_reason: NotRequired[str]
    total_actions: int
    combined_reputation: float
    has_human_feedback: bool
    first_seen_at: str
    last_action_at: NotRequired[str]


class ListAgentsResponse(TypedDict):
    data: list[Agent]
    next_cursor: str | None
    has_more: bool
    total: NotRequired[int]
    total_is_at_least: NotRequired[bool]


class ReputationRatings(TypedDict):
    approved: int
    flagged: int
    rejected: int


class ReputationExecutionInterval(TypedDict):
    low: float
    high: float


class Reputation(TypedDict):
    agent_id: str
    total_actions: int
    execution_score: float
    feedback_score: float
    combined_reputation: float
    has_human_feedback: bool
    gate_score: float
    completed_actions: int
    ratings: ReputationRatings
    execution_interval: ReputationExecutionInterval
    feedback_interval: ReputationExecutionInterval
    first_seen_at: str
    last_action_at: NotRequired[str]


class GetReputationHistoryResponseDataItem(TypedDict):
    day: str
    total_actions: int
    completed_actions: int
    execution_score: float
    feedback_score: float
    ratings: ReputationRatings
    combined_reputation: float
    combined_interval: ReputationExecutionInterval


class GetReputationHistoryResponse(TypedDict):
    agent_id: str
    data: list[GetReputationHistoryResponseDataItem]


class RankAgentsResponse(TypedDict):
    data: list[Reputation]


class ListWorkflowsResponseDataItem(TypedDict):
    provenance_ref: str
    human_ref: str
    agent_id: str
    assurance_level: Literal["L1", "L2", "L3"]
    created_at: str
    total_records: int
    unique_agents: int
    last_action_at: NotRequired[str]
    state: Literal["open", "closed"]
    spent_usd: float
    reserved_usd: float
    purpose: NotRequired[str]
    denials: NotRequired[int]
    live_tokens: NotRequired[int]


class ListWorkflowsResponse(TypedDict):
    data: list[ListWorkflowsResponseDataItem]
    next_cursor: str | None
    has_more: bool
    total: NotRequired[int]
    total_is_at_least: NotRequired[bool]


class GetProvenanceResponse(TypedDict):
    provenance_ref: str
    total_records: int
    unique_agents: int
    actions_by_type: dict[str, int]
    results_by_type: dict[str, int]


class GetWorkflowGraphResponseNodesItem1(TypedDict):
    id: str
    type: Literal["action"]
    aar_id: str
    action: str
    resource: str
    state: Literal["pending", "completed", "cancelled", "expired"]
    result: NotRequired[str]
    spend_usd: float
    trust_score: float
    rating: NotRequired[Literal["approved", "flagged", "rejected"]]
    created_at: str
    completed_at: NotRequired[str]


class GetWorkflowGraphResponseNodesItem2(TypedDict):
    id: str
    type: Literal["token"]
    jti: str
    agent_id: str
    delegation_depth: int
    scope: ClaimsSvcScope
    issued_at: str
    expires_at: str
    status: Literal["live", "not_yet_valid", "expired", "suspended", "revoked"]
    constraints: NotRequired[dict[str, Any]]


class GetWorkflowGraphResponseNodesItem3(TypedDict):
    id: str
    type: Literal["agent"]
    agent_id: str


class GetWorkflowGraphResponseNodesItem4(TypedDict):
    id: str
    type: Literal["human"]
    human_ref: str
    assurance_level: Literal["L1", "L2", "L3"]


class GetWorkflowGraphResponseNodesItem5(TypedDict):
    id: str
    type: Literal["denial"]
    denial_id: str
    action: str
    resource: str
    reason: Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"]
    spend_usd: float
    created_at: str


class GetWorkflowGraphResponseNodesItem6(TypedDict):
    id: str
    type: Literal["approval"]
    approval_id: str
    action: str
    resource: str
    state: Literal["pending", "approved", "denied", "expired"]
    spend_usd: float
    created_at: str
    decided_at: NotRequired[str]
    used_by: NotRequired[str]


class GetWorkflowGraphResponseNodesItem7(TypedDict):
    id: str
    type: Literal["rating"]
    aar_id: str
    rating: Literal["approved", "flagged", "rejected"]
    rater_assurance: str
    created_at: str


GetWorkflowGraphResponseEdgesItem = TypedDict(
    "GetWorkflowGraphResponseEdgesItem",
    {
        "type": Literal["delegated", "performed", "caused", "denied", "asked", "rated"],
        "from": str,
        "to": str,
        "token": NotRequired[str],
    },
)


class GetWorkflowGraphResponse(TypedDict):
    provenance_ref: str
    nodes: list[GetWorkflowGraphResponseNodesItem1 | GetWorkflowGraphResponseNodesItem2 | GetWorkflowGraphResponseNodesItem3 | GetWorkflowGraphResponseNodesItem4 | GetWorkflowGraphResponseNodesItem5 | GetWorkflowGraphResponseNodesItem6 | GetWorkflowGraphResponseNodesItem7]
    edges: list[GetWorkflowGraphResponseEdgesItem]
    total_records: int
    next_cursor: str | None
    has_more: bool


class GetLineageResponse(TypedDict):
    aar_id: str
    record: Record
    causes: list[Record]
    has_more_causes: bool
    effects: list[Record]
    has_more_effects: bool
    chain: list[TokenView]


class PreviewAuditPackResponse(TypedDict):
    workflows: int
    records: int
    denials: int
    approvals: int
    tokens: int
    is_at_least: bool
    fits: bool
    max_workflows: int
    max_entries: int
    first_at: NotRequired[str]
    last_at: NotRequired[str]


class ReceiptEntriesItem(TypedDict):
    kind: Literal["created", "completed", "rated"]
    index: int
    leaf: str
    leaf_hash: str
    proof: list[str]


class Receipt(TypedDict):
    aar_id: str
    origin: str
    vkey: str
    entries: list[ReceiptEntriesItem]
    checkpoint: str
    statement: str


class GetLogEntryResponse(TypedDict):
    index: int
    leaf: str
    leaf_hash: str


class ListLogEntriesResponse(TypedDict):
    data: list[GetLogEntryResponse]
    next_start: int
    has_more: bool
    size: int


class GetInclusionProofResponse(TypedDict):
    index: int
    size: int
    leaf_hash: str
    root_hash: str
    proof: list[str]


GetConsistencyProofResponse = TypedDict(
    "GetConsistencyProofResponse",
    {
        "from": int,
        "to": int,
        "from_root_hash": str,
        "to_root_hash": str,
        "proof": list[str],
    },
)


class ListCheckpointsResponseDataItem(TypedDict):
    size: int
    root_hash: str
    signed_at: str
    note: str


class ListCheckpointsResponse(TypedDict):
    data: list[ListCheckpointsResponseDataItem]
    next_cursor: str | None
    has_more: bool


class ListWitnessesResponseDataItem(TypedDict):
    name: str
    vkey: str
    url: str
    state: Literal["ok", "behind", "failing", "pending"]
    explanation: str
    cosigned_size: NotRequired[int]
    cosigned_at: NotRequired[str]
    failing_since: NotRequired[str]
    failure: NotRequired[Literal["unreachable", "refused", "bad_answer", "bad_cosignature", "forgot", "ahead", "contradicted"]]


class ListWitnessesResponse(TypedDict):
    data: list[ListWitnessesResponseDataItem]
    quorum: int
    cosigned: int
    checkpoint_size: NotRequired[int]
    checkpoint_signed_at: NotRequired[str]
    log_size: int


class TokenIssuedEventData(TypedDict):
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    assurance_level: Literal["L1", "L2", "L3"]
    delegation_depth: int
    scope: ClaimsSvcScope
    expires_at: str
    constraints: NotRequired[dict[str, Any]]


class TokenIssuedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["token.issued"]
    data: TokenIssuedEventData


class TokenDelegatedEventData(TypedDict):
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    assurance_level: Literal["L1", "L2", "L3"]
    delegation_depth: int
    scope: ClaimsSvcScope
    expires_at: str
    constraints: NotRequired[dict[str, Any]]
    parent_jti: NotRequired[str]


class TokenDelegatedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["token.delegated"]
    data: TokenDelegatedEventData


class TokenRenewedEventData(TypedDict):
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    assurance_level: Literal["L1", "L2", "L3"]
    delegation_depth: int
    scope: ClaimsSvcScope
    expires_at: str
    constraints: NotRequired[dict[str, Any]]
    renews_jti: NotRequired[str]


class TokenRenewedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["token.renewed"]
    data: TokenRenewedEventData


class TokenRevokedEventData(TypedDict):
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]


class TokenRevokedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["token.revoked"]
    data: TokenRevokedEventData


class TokenSuspendedEventData(TypedDict):
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    suspended_by: Literal["agent", "developer", "person", "operator"]
    suspend_code: NotRequired[Literal["exceeded_authorization"]]


class TokenSuspendedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["token.suspended"]
    data: TokenSuspendedEventData


class TokenResumedEventData(TypedDict):
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    resumed_by: Literal["agent", "developer", "person", "operator"]


class TokenResumedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["token.resumed"]
    data: TokenResumedEventData


class ActionAuthorizedEventData(TypedDict):
    aar_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str
    spend_usd: NotRequired[float]
    trust_score: NotRequired[float]
    parent_aar_id: NotRequired[str]
    trace_id: NotRequired[str]
    approval_id: NotRequired[str]
    vouch_score: NotRequired[float]
    evidence: Literal["self_reported", "observed", "countersigned"]
    expires_at: str


class ActionAuthorizedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["action.authorized"]
    data: ActionAuthorizedEventData


class ActionDeniedEventData(TypedDict):
    denial_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str
    spend_usd: NotRequired[float]
    trust_score: NotRequired[float]
    parent_aar_id: NotRequired[str]
    trace_id: NotRequired[str]
    approval_id: NotRequired[str]
    vouch_score: NotRequired[float]
    reasons: list[Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"]]


class ActionDeniedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["action.denied"]
    data: ActionDeniedEventData


class ActionCompletedEventData(TypedDict):
    aar_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str
    spend_usd: NotRequired[float]
    trust_score: NotRequired[float]
    parent_aar_id: NotRequired[str]
    trace_id: NotRequired[str]
    approval_id: NotRequired[str]
    vouch_score: NotRequired[float]
    evidence: Literal["self_reported", "observed", "countersigned"]
    result: str
    result_hash: NotRequired[str]
    completed_after_revocation: NotRequired[bool]
    over_budget: NotRequired[bool]
    exceeded: NotRequired[bool]


class ActionCompletedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["action.completed"]
    data: ActionCompletedEventData


class ActionCancelledEventData(TypedDict):
    aar_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str
    evidence: Literal["self_reported", "observed", "countersigned"]


class ActionCancelledEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["action.cancelled"]
    data: ActionCancelledEventData


class ActionExpiredEventData(TypedDict):
    aar_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str


class ActionExpiredEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["action.expired"]
    data: ActionExpiredEventData


class ActionRatedEventData(TypedDict):
    aar_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str
    rating: Literal["approved", "flagged", "rejected"]
    rater_assurance: str


class ActionRatedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["action.rated"]
    data: ActionRatedEventData


class ApprovalRequestedEventData(TypedDict):
    approval_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str
    spend_usd: NotRequired[float]
    expires_at: str


class ApprovalRequestedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["approval.requested"]
    data: ApprovalRequestedEventData


class ApprovalEndorsedEventData(TypedDict):
    approval_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str
    by: str
    reviewer: NotRequired[bool]
    owner: NotRequired[bool]


class ApprovalEndorsedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["approval.endorsed"]
    data: ApprovalEndorsedEventData


class ApprovalEscalatedEventData(TypedDict):
    approval_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str
    to: list[str]


class ApprovalEscalatedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["approval.escalated"]
    data: ApprovalEscalatedEventData


class ApprovalDecidedEventData(TypedDict):
    approval_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str
    decision: Literal["approved", "denied"]
    decided_by: str
    reviewer: NotRequired[bool]
    owner: NotRequired[bool]
    grant: NotRequired[ListApprovalsResponseDataItemGrant]
    grant_id: NotRequired[str]


class ApprovalDecidedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["approval.decided"]
    data: ApprovalDecidedEventData


class ApprovalGrantEndedEventData(TypedDict):
    approval_id: str
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    action: str
    resource: str


class ApprovalGrantEndedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["approval.grant_ended"]
    data: ApprovalGrantEndedEventData


class ApprovalHabitEndedEventData(TypedDict):
    agent_id: str
    human_ref: str
    action: str
    resource: str


class ApprovalHabitEndedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["approval.habit_ended"]
    data: ApprovalHabitEndedEventData


class BudgetThresholdEventData(TypedDict):
    agent_id: str
    human_ref: str
    vat_jti: NotRequired[str]
    percent: int


class BudgetThresholdEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["budget.threshold"]
    data: BudgetThresholdEventData


class BudgetExhaustedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["budget.exhausted"]
    data: BudgetThresholdEventData


class AgentRegisteredEventData(TypedDict):
    agent_id: str
    keys_added: NotRequired[list[str]]
    keys_removed: NotRequired[list[str]]


class AgentRegisteredEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["agent.registered"]
    data: AgentRegisteredEventData


class AgentSuspendedEventData(TypedDict):
    agent_id: str
    suspended_by: Literal["agent", "developer", "person", "operator"]
    key_of: NotRequired[str]


class AgentSuspendedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["agent.suspended"]
    data: AgentSuspendedEventData


class AgentResumedEventData(TypedDict):
    agent_id: str
    resumed_by: Literal["agent", "developer", "person", "operator"]


class AgentResumedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["agent.resumed"]
    data: AgentResumedEventData


class AgentRevokedEventData(TypedDict):
    agent_id: str


class AgentRevokedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["agent.revoked"]
    data: AgentRevokedEventData


class HumanRevokedEventData(TypedDict):
    human_ref: str


class HumanRevokedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["human.revoked"]
    data: HumanRevokedEventData


class HumanRefusedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["human.refused"]
    data: HumanRevokedEventData


class HumanAcceptedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["human.accepted"]
    data: HumanRevokedEventData


class HumanErasedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["human.erased"]
    data: HumanRevokedEventData


VouchCreatedEventData = TypedDict(
    "VouchCreatedEventData",
    {
        "vouch_id": str,
        "from": str,
        "to": str,
        "weight": float,
        "expires_at": NotRequired[str],
        "context": NotRequired[str],
    },
)


class VouchCreatedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["vouch.created"]
    data: VouchCreatedEventData


VouchChangedEventData = TypedDict(
    "VouchChangedEventData",
    {
        "vouch_id": str,
        "from": str,
        "to": str,
        "weight": float,
        "expires_at": NotRequired[str],
    },
)


class VouchChangedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["vouch.changed"]
    data: VouchChangedEventData


VouchWithdrawnEventData = TypedDict(
    "VouchWithdrawnEventData",
    {
        "vouch_id": str,
        "from": str,
        "to": str,
        "by": str,
    },
)


class VouchWithdrawnEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["vouch.withdrawn"]
    data: VouchWithdrawnEventData


class AnchorNamedEventData(TypedDict):
    human_ref: str
    base: float


class AnchorNamedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["anchor.named"]
    data: AnchorNamedEventData


class AnchorRemovedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["anchor.removed"]
    data: HumanRevokedEventData


class AlertFiredEventData(TypedDict):
    agent_id: str
    alert_id: str
    rule_id: str
    condition: Literal["denials", "budget", "rejected", "chain", "new_use", "unusual_hours", "spend_rate"]
    effect: Literal["notify", "ask", "suspend"]
    window: str
    explanation: str
    asks_until: NotRequired[str]


class AlertFiredEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["alert.fired"]
    data: AlertFiredEventData


class VerificationCompletedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["verification.completed"]
    data: HumanRevokedEventData


class SessionBegunEventData(TypedDict):
    human_ref: str
    assurance_level: Literal["L1", "L2", "L3"]


class SessionBegunEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["session.begun"]
    data: SessionBegunEventData


class SessionEndedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["session.ended"]
    data: HumanRevokedEventData


class KeyRotatedEventData(TypedDict):
    kid: str
    status_lists_kid: NotRequired[str]
    statements_kid: NotRequired[str]


class KeyRotatedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["key.rotated"]
    data: KeyRotatedEventData


KeyWithdrawnEventData = TypedDict(
    "KeyWithdrawnEventData",
    {
        "kid": str,
        "from": str,
    },
)


class KeyWithdrawnEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["key.withdrawn"]
    data: KeyWithdrawnEventData


class AccessChangedEventData(TypedDict):
    mode: Literal["open", "keyed"]


class AccessChangedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["access.changed"]
    data: AccessChangedEventData


class DeploymentRestoredEventData(TypedDict):
    backed_up_at: str
    origin: str
    continues: bool
    newest_size: NotRequired[int]


class DeploymentRestoredEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["deployment.restored"]
    data: DeploymentRestoredEventData


class WebhookDisabledEventData(TypedDict):
    webhook_id: str
    kind: str
    reason: Literal["failing", "gone", "key_deleted"]


class WebhookDisabledEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["webhook.disabled"]
    data: WebhookDisabledEventData


class RegistryChangedEventData(TypedDict):
    kind: str
    entry_ref: str
    human_ref: NotRequired[str]
    removed: bool
    by: NotRequired[str]


class RegistryChangedEvent(TypedDict):
    id: str
    log_index: int
    occurred_at: str
    tenant_id: str
    provenance_ref: NotRequired[str]
    type: Literal["registry.changed"]
    data: RegistryChangedEventData


class ListEventsResponseDataItem2(TypedDict):
    specversion: str
    id: str
    source: str
    type: str
    subject: NotRequired[str]
    time: str
    datacontenttype: str
    logindex: int
    tenantid: str
    data: dict[str, Any]


class ListEventsResponse(TypedDict):
    data: list[TokenIssuedEvent | TokenDelegatedEvent | TokenRenewedEvent | TokenRevokedEvent | TokenSuspendedEvent | TokenResumedEvent | ActionAuthorizedEvent | ActionDeniedEvent | ActionCompletedEvent | ActionCancelledEvent | ActionExpiredEvent | ActionRatedEvent | ApprovalRequestedEvent | ApprovalEndorsedEvent | ApprovalEscalatedEvent | ApprovalDecidedEvent | ApprovalGrantEndedEvent | ApprovalHabitEndedEvent | BudgetThresholdEvent | BudgetExhaustedEvent | AgentRegisteredEvent | AgentSuspendedEvent | AgentResumedEvent | AgentRevokedEvent | HumanRevokedEvent | HumanRefusedEvent | HumanAcceptedEvent | HumanErasedEvent | VouchCreatedEvent | VouchChangedEvent | VouchWithdrawnEvent | AnchorNamedEvent | AnchorRemovedEvent | AlertFiredEvent | VerificationCompletedEvent | SessionBegunEvent | SessionEndedEvent | KeyRotatedEvent | KeyWithdrawnEvent | AccessChangedEvent | DeploymentRestoredEvent | WebhookDisabledEvent | RegistryChangedEvent | ListEventsResponseDataItem2 | dict[str, Any]]
    next_cursor: int
    has_more: bool


class CreateWebhookResponse(TypedDict):
    webhook_id: str
    tenant_id: str
    url: str
    description: NotRequired[str]
    events: list[str]
    agent_id: NotRequired[str]
    provenance_ref: NotRequired[str]
    format: Literal["deputy", "cloudevents", "ocsf"]
    signature: Literal["v1", "v1a"]
    public_key: NotRequired[str]
    status: Literal["enabled", "failing", "disabled"]
    failing_since: NotRequired[str]
    disabled_at: NotRequired[str]
    disabled_reason: NotRequired[Literal["failing", "gone", "key_deleted"]]
    next_index: NotRequired[int]
    role: str
    created_at: str
    created_by: str
    log_index: int
    secret: NotRequired[str]


class GetWebhookResponse(TypedDict):
    webhook_id: str
    tenant_id: str
    url: str
    description: NotRequired[str]
    events: list[str]
    agent_id: NotRequired[str]
    provenance_ref: NotRequired[str]
    format: Literal["deputy", "cloudevents", "ocsf"]
    signature: Literal["v1", "v1a"]
    public_key: NotRequired[str]
    status: Literal["enabled", "failing", "disabled"]
    failing_since: NotRequired[str]
    disabled_at: NotRequired[str]
    disabled_reason: NotRequired[Literal["failing", "gone", "key_deleted"]]
    next_index: NotRequired[int]
    role: str
    created_at: str
    created_by: str
    log_index: int


class ListWebhooksResponse(TypedDict):
    data: list[GetWebhookResponse]
    next_cursor: str | None
    has_more: bool


class DeleteWebhookResponse(TypedDict):
    deleted: bool
    webhook_id: str


class TestWebhookResponse(TypedDict):
    delivered: bool
    event_id: str
    status: NotRequired[int]
    error: NotRequired[str]
    answer: NotRequired[str]
    took_ms: int


class RetryWebhookDeliveryResponse(TypedDict):
    event_id: str
    log_index: int
    provenance_ref: NotRequired[str]
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    first_attempt_at: NotRequired[str]
    last_attempt_at: NotRequired[str]
    next_attempt_at: NotRequired[str]
    status: NotRequired[int]
    error: NotRequired[str]
    answer: NotRequired[str]
    took_ms: NotRequired[int]


class ListWebhookDeliveriesResponse(TypedDict):
    data: list[RetryWebhookDeliveryResponse]
    next_cursor: str | None
    has_more: bool


class RevokeHumanResponse(TypedDict):
    revoked: bool
    revoked_at: str
    revoked_count: int
    human_ref: str


class RefuseTokensResponse(TypedDict):
    human_ref: str
    refuses: bool
    changed: bool
    at: str


class ListHumansResponseDataItem(TypedDict):
    human_ref: str
    assurance_levels: list[Literal["L1", "L2", "L3"]]
    tokens: int
    live_tokens: int
    waiting: int
    first_seen_at: NotRequired[str]
    erased_at: NotRequired[str]
    refused_at: NotRequired[str]


class ListHumansResponse(TypedDict):
    data: list[ListHumansResponseDataItem]
    next_cursor: str | None
    has_more: bool


class GetHumanResponse(TypedDict):
    human_ref: str
    assurance_levels: list[Literal["L1", "L2", "L3"]]
    tokens: int
    live_tokens: int
    workflows: int
    first_seen_at: NotRequired[str]
    erased_at: NotRequired[str]
    refused_at: NotRequired[str]


class EraseHumanResponse(TypedDict):
    erased: bool
    already_erased: bool
    human_ref: str
    erased_at: str
    revoked_count: int


class GetMeResponse(TypedDict):
    role: Literal["local", "operator", "developer", "human", "agent", "resource_server", "auditor", "safety"]
    tenant_id: str
    name: str
    operations: list[str]
    key_id: NotRequired[str]
    csrf_token: NotRequired[str]
    session_id: NotRequired[str]
    session_expires_at: NotRequired[str]
    human_ref: NotRequired[str]
    human_refs: NotRequired[list[str]]
    assurance_level: NotRequired[Literal["L1", "L2", "L3"]]
    amr: NotRequired[list[str]]
    auth_time: NotRequired[str]
    passkeys: NotRequired[int]


class SignInWithKeyResponse(TypedDict):
    role: Literal["operator", "developer", "auditor"]
    tenant_id: str
    key_id: str
    session_id: str
    csrf_token: str
    expires_at: str


class ListSignInsResponseDataItem(TypedDict):
    session_id: str
    role: Literal["operator", "developer", "auditor", "human"]
    key_id: NotRequired[str]
    key_name: NotRequired[str]
    human_ref: NotRequired[str]
    current: bool
    started_at: str
    expires_at: str


class ListSignInsResponse(TypedDict):
    data: list[ListSignInsResponseDataItem]


class EndSignInResponse(TypedDict):
    ended: bool
    session_id: str


class LogOutResponse(TypedDict):
    signed_out: bool


class GetStatsResponseTotals(TypedDict):
    allowed: int
    completed: int
    succeeded: int
    cancelled: int
    expired: int
    denied: int
    spend_usd: float
    approvals_asked: int
    approvals_automatic: int
    approvals_approved: int
    approvals_denied: int
    mean_decision_ms: NotRequired[int]


class GetStatsResponseDataItem(TypedDict):
    start: str
    agent_id: NotRequired[str]
    action: NotRequired[str]
    resource: NotRequired[str]
    reason: NotRequired[str]
    tenant_id: NotRequired[str]
    other: NotRequired[Literal[True]]
    allowed: int
    completed: int
    succeeded: int
    cancelled: int
    expired: int
    denied: int
    spend_usd: float
    approvals_asked: int
    approvals_automatic: int
    approvals_approved: int
    approvals_denied: int
    mean_decision_ms: NotRequired[int]


GetStatsResponse = TypedDict(
    "GetStatsResponse",
    {
        "from": str,
        "to": str,
        "bucket": Literal["minute", "hour", "day", "all"],
        "group_by": NotRequired[Literal["agent", "action", "resource", "action,resource", "reason", "tenant"]],
        "totals": GetStatsResponseTotals,
        "truncated": bool,
        "data": list[GetStatsResponseDataItem],
    },
)


class ListAlertsResponseDataItemCondition(TypedDict):
    kind: Literal["denials", "budget", "rejected", "chain", "new_use", "unusual_hours", "spend_rate"]
    more_than: NotRequired[int]
    within_minutes: NotRequired[int]
    percent: NotRequired[Literal[50, 80, 100]]
    deeper_than: NotRequired[int]
    of: NotRequired[Literal["action", "resource"]]
    times: NotRequired[float]
    at_least_usd: NotRequired[float]


class ListAlertsResponseDataItem(TypedDict):
    alert_id: str
    rule_id: str
    rule_name: str
    condition: ListAlertsResponseDataItemCondition
    effect: Literal["notify", "ask", "suspend"]
    agent_id: str
    at: str
    explanation: str
    fired_at: str
    asks_until: NotRequired[str]
    log_index: int


class ListAlertsResponse(TypedDict):
    data: list[ListAlertsResponseDataItem]
    next_cursor: str | None
    has_more: bool


class CreateAlertRuleConditionInput(TypedDict):
    kind: Literal["denials", "budget", "rejected", "chain", "new_use", "unusual_hours", "spend_rate"]
    more_than: NotRequired[int]
    within_minutes: NotRequired[int]
    percent: NotRequired[Literal[50, 80, 100]]
    deeper_than: NotRequired[int]
    of: NotRequired[Literal["action", "resource"]]
    times: NotRequired[float]
    at_least_usd: NotRequired[float]


class CreateAlertRuleResponse(TypedDict):
    rule_id: str
    name: str
    condition: ListAlertsResponseDataItemCondition
    effect: Literal["notify", "ask", "suspend"]
    agent_id: NotRequired[str]
    window_minutes: int
    ask_minutes: int
    enabled: bool
    suggestion: NotRequired[str]
    created_at: str
    log_index: int


class ListAlertRulesResponse(TypedDict):
    data: list[CreateAlertRuleResponse]
    next_cursor: str | None
    has_more: bool


class SuggestAlertRulesResponse(TypedDict):
    data: list[CreateAlertRuleResponse]


class DryRunAlertRuleResponseDataItem(TypedDict):
    agent_id: str
    at: str
    explanation: str


DryRunAlertRuleResponse = TypedDict(
    "DryRunAlertRuleResponse",
    {
        "from": str,
        "to": str,
        "count": int,
        "truncated": bool,
        "data": list[DryRunAlertRuleResponseDataItem],
    },
)


class DeleteAlertRuleResponse(TypedDict):
    deleted: Literal[True]
    rule_id: str


class ConfirmChannelResponseLastFailure(TypedDict):
    at: str
    detail: str


class ConfirmChannelResponseAttemptsItem(TypedDict):
    at: str
    sent: bool
    detail: NotRequired[str]


class ConfirmChannelResponse(TypedDict):
    channel_id: str
    kind: Literal["email", "push", "slack", "teams", "webhook"]
    name: str
    state: Literal["active", "unconfirmed"]
    about: list[Literal["questions", "alerts", "suspensions", "webhooks"]]
    target: str
    created_at: str
    last_sent_at: NotRequired[str]
    last_failure: NotRequired[ConfirmChannelResponseLastFailure]
    attempts: NotRequired[list[ConfirmChannelResponseAttemptsItem]]


GetNotificationsResponseQuietHours = TypedDict(
    "GetNotificationsResponseQuietHours",
    {
        "time_zone": str,
        "days": NotRequired[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]],
        "from": str,
        "to": str,
    },
)


class GetNotificationsResponse(TypedDict):
    channels: list[ConfirmChannelResponse]
    time_zone: NotRequired[str]
    quiet_hours: NotRequired[GetNotificationsResponseQuietHours]
    available: list[Literal["email", "push", "slack", "teams", "webhook"]]
    push_key: str


class AddChannelSubscriptionKeysInput(TypedDict):
    p256dh: str
    auth: str


class AddChannelSubscriptionInput(TypedDict):
    endpoint: str
    keys: AddChannelSubscriptionKeysInput


class AddChannelResponse(TypedDict):
    channel_id: str
    kind: Literal["email", "push", "slack", "teams", "webhook"]
    name: str
    state: Literal["active", "unconfirmed"]
    about: list[Literal["questions", "alerts", "suspensions", "webhooks"]]
    target: str
    created_at: str
    last_sent_at: NotRequired[str]
    last_failure: NotRequired[ConfirmChannelResponseLastFailure]
    attempts: NotRequired[list[ConfirmChannelResponseAttemptsItem]]
    secret: NotRequired[str]


class TestChannelResponse(TypedDict):
    sent: bool
    detail: NotRequired[str]


class RemoveChannelResponse(TypedDict):
    removed: bool


VouchResponse = TypedDict(
    "VouchResponse",
    {
        "vouch_id": str,
        "from": str,
        "to": str,
        "weight": float,
        "context": NotRequired[str],
        "note": NotRequired[str],
        "erased": NotRequired[bool],
        "standing": bool,
        "made_at": str,
        "expires_at": NotRequired[str],
        "ended_at": NotRequired[str],
        "log_index": int,
    },
)


class ListVouchesResponse(TypedDict):
    data: list[VouchResponse]
    next_cursor: str | None
    has_more: bool


class GetVouchScoreResponseAsOf(TypedDict):
    log_size: int
    at: NotRequired[str]


GetVouchScoreResponsePathsItemStepsItem = TypedDict(
    "GetVouchScoreResponsePathsItemStepsItem",
    {
        "vouch_id": NotRequired[str],
        "from": NotRequired[str],
        "capacity": float,
    },
)


class GetVouchScoreResponsePathsItem(TypedDict):
    flow: float
    steps: list[GetVouchScoreResponsePathsItemStepsItem]


class GetVouchScoreResponseCutItem(TypedDict):
    limit: Literal["vouch", "base", "person"]
    vouch_id: NotRequired[str]
    human_ref: NotRequired[str]
    capacity: float


GetVouchScoreResponse = TypedDict(
    "GetVouchScoreResponse",
    {
        "subject": str,
        "score": float,
        "flow": float,
        "anchors": int,
        "vouches": int,
        "truncated": bool,
        "context": NotRequired[str],
        "as": NotRequired[str],
        "as_of": GetVouchScoreResponseAsOf,
        "withheld": NotRequired[bool],
        "paths": NotRequired[list[GetVouchScoreResponsePathsItem]],
        "cut": NotRequired[list[GetVouchScoreResponseCutItem]],
    },
)


FindTrustPathsResponse = TypedDict(
    "FindTrustPathsResponse",
    {
        "from": str,
        "to": str,
        "flow": float,
        "truncated": bool,
        "as_of": GetVouchScoreResponseAsOf,
        "withheld": NotRequired[bool],
        "paths": list[GetVouchScoreResponsePathsItem],
    },
)


class GetTrustGraphResponseNodesItem(TypedDict):
    subject: str
    base: NotRequired[float]
    steps: int


GetTrustGraphResponseEdgesItem = TypedDict(
    "GetTrustGraphResponseEdgesItem",
    {
        "vouch_id": str,
        "from": str,
        "to": str,
        "weight": float,
        "context": NotRequired[str],
    },
)


class GetTrustGraphResponse(TypedDict):
    around: str
    as_of: GetVouchScoreResponseAsOf
    withheld: NotRequired[bool]
    nodes: list[GetTrustGraphResponseNodesItem]
    edges: list[GetTrustGraphResponseEdgesItem]
    truncated: bool


class RankByVouchesResponseDataItem(TypedDict):
    agent_id: str
    score: float
    flow: float


class RankByVouchesResponse(TypedDict):
    as_of: GetVouchScoreResponseAsOf
    truncated: bool
    data: list[RankByVouchesResponseDataItem]


class NameAnchorResponse(TypedDict):
    human_ref: str
    base: float
    reason: NotRequired[str]
    named_at: str
    log_index: int


class RemoveAnchorResponse(TypedDict):
    human_ref: str
    removed: bool


class ListAnchorsResponse(TypedDict):
    data: list[NameAnchorResponse]
    next_cursor: str | None
    has_more: bool


class StartLoginResponse(TypedDict):
    login_id: str
    authorization_url: str
    expires_at: str


class GetLoginResponse(TypedDict):
    login_id: str
    status: Literal["pending", "finished", "failed", "used"]
    reason: NotRequired[Literal["declined", "not_confirmed", "other_browser", "other_person", "issuer_parameter", "provider_error", "code_refused", "answer_malformed", "token_malformed", "algorithm", "key_unknown", "signature", "issuer", "audience", "azp", "expired", "issued_in_future", "not_yet_valid", "nonce_missing", "nonce", "at_hash", "id_token_used", "auth_time", "group_missing"]]
    expires_at: str


class ListProvidersResponseDataItem(TypedDict):
    name: str
    protocol: Literal["oidc", "builtin", "external"]
    issuer: NotRequired[str]
    kind: NotRequired[str]
    assurance_level: Literal["L2", "L3"]
    modalities: NotRequired[list[str]]


class ListProvidersResponse(TypedDict):
    data: list[ListProvidersResponseDataItem]


class BeginPasskeyResponse(TypedDict):
    options: dict[str, Any]
    expires_at: str


class FinishPasskeyResponseResponseInput(TypedDict):
    clientDataJSON: str
    attestationObject: str
    authenticatorData: NotRequired[str]
    transports: NotRequired[Sequence[str]]
    publicKeyAlgorithm: NotRequired[int]
    publicKey: NotRequired[str]


class FinishPasskeyResponseInput(TypedDict):
    id: str
    rawId: str
    type: Literal["public-key"]
    authenticatorAttachment: NotRequired[str]
    clientExtensionResults: Mapping[str, Any]
    response: FinishPasskeyResponseResponseInput


class FinishPasskeyResponse(TypedDict):
    passkey_id: str
    human_ref: str
    name: str
    assurance_level: Literal["L1", "L2", "L3"]
    open_mode_only: bool
    transports: list[str]
    backed_up: bool
    suspected_clone: bool
    created_at: str
    last_used_at: NotRequired[str]


class FinishPasskeyLoginResponseResponseInput(TypedDict):
    clientDataJSON: str
    authenticatorData: str
    signature: str
    userHandle: NotRequired[str]


class FinishPasskeyLoginResponseInput(TypedDict):
    id: str
    rawId: str
    type: Literal["public-key"]
    authenticatorAttachment: NotRequired[str]
    clientExtensionResults: Mapping[str, Any]
    response: FinishPasskeyLoginResponseResponseInput


class FinishPasskeyLoginResponse(TypedDict):
    tenant_id: str
    human_ref: str
    assurance_level: Literal["L1", "L2", "L3"]
    amr: list[str]
    csrf_token: str
    expires_at: str


class ListPasskeysResponse(TypedDict):
    data: list[FinishPasskeyResponse]
    next_cursor: str | None
    has_more: bool


class DeletePasskeyResponse(TypedDict):
    deleted: bool
    passkey_id: str


class FinishKeyPasskeyResponse(TypedDict):
    passkey_id: str
    key_id: str
    key_name: str
    name: str
    transports: list[str]
    backed_up: bool
    suspected_clone: bool
    created_at: str
    last_used_at: NotRequired[str]


class ListKeyPasskeysResponse(TypedDict):
    data: list[FinishKeyPasskeyResponse]


class BeginStepUpResponse(TypedDict):
    options: dict[str, Any]
    bound_text: str
    words: list[str]
    expires_at: str


class FinishStepUpResponse(TypedDict):
    grant: str
    expires_at: str


class GetConsentResponseTexts(TypedDict):
    en: str
    de: str


class GetConsentResponse(TypedDict):
    version: str
    text_hash: str
    texts: GetConsentResponseTexts
    retention_days: int


class GetBiometricsResponseConsent(TypedDict):
    version: str
    accepted_at: str
    text_hash: str
    is_current: bool


class GetBiometricsResponse(TypedDict):
    human_ref: str
    enrolled: bool
    enrolled_at: NotRequired[str]
    replaced_at: NotRequired[str]
    retention_until: NotRequired[str]
    consent: NotRequired[GetBiometricsResponseConsent]
    engine_version: NotRequired[str]
    has_voice: NotRequired[bool]


class DeleteBiometricsResponse(TypedDict):
    deleted: bool
    already_deleted: bool
    human_ref: str
    revoked_count: int
    cancelled_sessions: int


class ExportBiometricsResponse(TypedDict):
    human_ref: str
    exported_at: str
    enrolled: bool
    enrolled_at: NotRequired[str]
    replaced_at: NotRequired[str]
    retention_until: NotRequired[str]
    consent: NotRequired[GetBiometricsResponseConsent]
    engine_version: NotRequired[str]
    has_voice: NotRequired[bool]
    template: NotRequired[dict[str, Any]]
    verifications: list[dict[str, Any]]


class CreateVerificationSessionConsentInput(TypedDict):
    version: str


class CreateVerificationSessionResponseCapture(TypedDict):
    width: int
    height: int
    fps: int
    jpeg_quality: float
    sample_rate: int
    lead_ms: int
    max_frames: int
    max_bytes: int


class CreateVerificationSessionResponseStep(TypedDict):
    step_id: str
    index: int
    kind: Literal["neutral", "move", "flash", "speak", "gesture"]
    prompt: str
    duration_ms: int
    answer_by: str
    movement: NotRequired[Literal["turn_left", "turn_right", "look_up", "look_down", "open_mouth", "blink", "move_closer"]]
    colors: NotRequired[list[Literal["red", "green", "blue", "black"]]]
    slot_ms: NotRequired[int]
    digits: NotRequired[str]
    gesture: NotRequired[Literal["thumbs_up", "victory", "open_palm", "point_up"]]


class CreateVerificationSessionResponse(TypedDict):
    session_id: str
    purpose: Literal["enroll", "verify"]
    state: Literal["waiting", "open", "judged", "cancelled", "expired"]
    nonce: str
    expires_at: str
    human_ref: NotRequired[str]
    provider: str
    capture: CreateVerificationSessionResponseCapture
    steps_total: int
    step: CreateVerificationSessionResponseStep
    passkey_required: bool
    attempts_left: int


class AnswerStepFramesItemInput(TypedDict):
    t_ms: float
    jpeg: str


class AnswerStepAudioInput(TypedDict):
    t0_ms: float
    pcm16: str


class AnswerStepDeviceInput(TypedDict):
    video_label: NotRequired[str]


class AnswerStepResponse(TypedDict):
    accepted: bool
    reasons: list[PreviewDelegationResponseRefusal]
    step: NotRequired[CreateVerificationSessionResponseStep]
    steps_done: int
    steps_total: int
    media_digest: str


class BeginSessionPasskeyResponse(TypedDict):
    ceremony: Literal["create", "get"]
    options: dict[str, Any]
    bound_text: str
    expires_at: str


class GetVerificationSessionResponse(TypedDict):
    session_id: str
    purpose: Literal["enroll", "verify"]
    state: Literal["waiting", "open", "judged", "cancelled", "expired"]
    human_ref: NotRequired[str]
    provider: str
    steps_done: int
    steps_total: int
    verification_id: NotRequired[str]
    expires_at: str


class CancelVerificationSessionResponse(TypedDict):
    session_id: str
    state: Literal["waiting", "open", "judged", "cancelled", "expired"]


class CreateHostedSessionRequestInput(TypedDict):
    agent_id: str
    resources: Sequence[str]
    actions: Sequence[str]
    constraints: NotRequired[ConstraintsInput]
    expires_in: NotRequired[int]
    audience: NotRequired[str]
    agent_jwk: NotRequired[Mapping[str, Any]]
    policy_assertions: NotRequired[Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]]]
    purpose: NotRequired[str]


class CreateHostedSessionResponse(TypedDict):
    session_id: str
    purpose: Literal["enroll", "verify"]
    state: Literal["waiting", "open", "judged", "cancelled", "expired"]
    client_token: str
    url: str
    expires_at: str
    human_ref: str
    provider: str


class PreviewHostedSessionResponseAskedBy(TypedDict):
    tenant_name: str
    name: NotRequired[str]
    is_person: bool


class PreviewHostedSessionResponseRequest(TypedDict):
    agent_id: str
    resources: list[str]
    actions: list[str]
    constraints: NotRequired[dict[str, Any]]
    purpose: NotRequired[str]
    expires_in: NotRequired[int]


class PreviewHostedSessionResponseConsent(TypedDict):
    version: str
    is_required: bool


class PreviewHostedSessionResponse(TypedDict):
    session_id: str
    purpose: Literal["enroll", "verify"]
    state: Literal["waiting", "open", "judged", "cancelled", "expired"]
    expires_at: str
    locale: NotRequired[Literal["en", "de"]]
    accommodations: list[Literal["no_voice", "no_hand", "no_flash"]]
    provider: str
    asked_by: PreviewHostedSessionResponseAskedBy
    request: NotRequired[PreviewHostedSessionResponseRequest]
    sentences: list[str]
    consent: PreviewHostedSessionResponseConsent
    return_url: NotRequired[str]


class OpenHostedSessionResponse(TypedDict):
    session_id: str
    purpose: Literal["enroll", "verify"]
    state: Literal["waiting", "open", "judged", "cancelled", "expired"]
    nonce: str
    expires_at: str
    human_ref: str
    provider: str
    capture: NotRequired[CreateVerificationSessionResponseCapture]
    steps_total: int
    step: NotRequired[CreateVerificationSessionResponseStep]
    redirect_url: NotRequired[str]
    provider_client_token: NotRequired[str]
    passkey_required: bool
    attempts_left: int


class TransferHostedSessionResponse(TypedDict):
    transfer_code: str
    url: str
    expires_at: str
    expires_in: int


class WatchHostedSessionResponse(TypedDict):
    session_id: str
    purpose: Literal["enroll", "verify"]
    state: Literal["waiting", "open", "judged", "cancelled", "expired"]
    version: str
    human_ref: str
    provider: str
    steps_done: int
    steps_total: int
    is_moved: bool
    can_open: bool
    openings_left: int
    verification_id: NotRequired[str]
    provider_status: NotRequired[Literal["pending", "pass", "fail", "review", "retry", "expired", "withdrawn"]]
    decision: NotRequired[Literal["pass", "retry", "fail", "review"]]
    reasons: list[str]
    expires_at: str


class CollectHostedSessionResponseModalitiesItem(TypedDict):
    name: Literal["face_liveness", "deepfake_detection", "speech_match", "lip_sync", "challenge_response", "finger_gesture", "duress_detection", "document", "liveness", "face_match", "database"]
    passed: bool
    method: str
    reasons: list[str]
    score: NotRequired[float]
    measures: NotRequired[dict[str, float]]


class CollectHostedSessionResponse(TypedDict):
    verification_id: str
    session_id: str
    purpose: Literal["enroll", "verify"]
    passed: bool
    decision: Literal["pass", "retry", "fail", "review"]
    modalities: list[CollectHostedSessionResponseModalitiesItem]
    reasons: list[str]
    human_ref: str
    assurance_level: NotRequired[Literal["L1", "L2", "L3"]]
    trust_score: NotRequired[float]
    provider: str
    engine_version: str
    evidence_hash: str
    withdrawn_at: NotRequired[str]
    verified_at: str
    score: NotRequired[float]
    token: NotRequired[IssuedToken]


class CaptureResponse(TypedDict):
    verification_id: str
    session_id: str
    purpose: Literal["enroll", "verify"]
    passed: bool
    decision: Literal["pass", "retry", "fail", "review"]
    modalities: list[CollectHostedSessionResponseModalitiesItem]
    reasons: list[str]
    human_ref: str
    assurance_level: NotRequired[Literal["L1", "L2", "L3"]]
    trust_score: NotRequired[float]
    provider: str
    engine_version: str
    evidence_hash: str
    withdrawn_at: NotRequired[str]
    verified_at: str
    score: NotRequired[float]
    attempts_left: int
    token: NotRequired[IssuedToken]


class EnrollResponse(TypedDict):
    verification_id: str
    session_id: str
    purpose: Literal["enroll", "verify"]
    passed: bool
    decision: Literal["pass", "retry", "fail", "review"]
    modalities: list[CollectHostedSessionResponseModalitiesItem]
    reasons: list[str]
    human_ref: str
    assurance_level: NotRequired[Literal["L1", "L2", "L3"]]
    trust_score: NotRequired[float]
    provider: str
    engine_version: str
    evidence_hash: str
    withdrawn_at: NotRequired[str]
    verified_at: str
    score: NotRequired[float]
    attempts_left: int
    enrolled: bool


class GetVerificationResponse(TypedDict):
    verification_id: str
    session_id: str
    purpose: Literal["enroll", "verify"]
    passed: bool
    decision: Literal["pass", "retry", "fail", "review"]
    modalities: list[CollectHostedSessionResponseModalitiesItem]
    reasons: list[str]
    human_ref: str
    assurance_level: NotRequired[Literal["L1", "L2", "L3"]]
    trust_score: NotRequired[float]
    provider: str
    engine_version: str
    evidence_hash: str
    withdrawn_at: NotRequired[str]
    verified_at: str
    score: NotRequired[float]


class ListVerificationsResponse(TypedDict):
    data: list[GetVerificationResponse]
    next_cursor: str | None
    has_more: bool


class GetEngineResponse(TypedDict):
    state: Literal["ready", "absent", "off", "installing", "failed"]
    engine_version: NotRequired[str]
    voice: NotRequired[bool]
    done_bytes: NotRequired[int]
    total_bytes: NotRequired[int]
    doing: NotRequired[str]
    reason: NotRequired[str]


class SetDuressResponse(TypedDict):
    saved: bool


class ResolveDuressAlertResponse(TypedDict):
    alert_id: str
    human_ref: str
    about: Literal["verification", "sign_changed"]
    at: str
    passed: bool
    jti: NotRequired[str]
    contacts: list[str]
    sent: bool
    state: Literal["open", "resolved"]
    outcome: NotRequired[Literal["safe", "revoke"]]
    note: NotRequired[str]
    resolved_at: NotRequired[str]


class ListDuressAlertsResponse(TypedDict):
    data: list[ResolveDuressAlertResponse]
    next_cursor: str | None
    has_more: bool


class GetSsfConfigurationResponse(TypedDict):
    spec_version: str
    issuer: str
    jwks_uri: str
    delivery_methods_supported: list[str]
    configuration_endpoint: str
    status_endpoint: str
    add_subject_endpoint: str
    remove_subject_endpoint: str
    verification_endpoint: str
    authorization_schemes: list[dict[str, Any]]
    default_subjects: Literal["ALL"]


class CreateStreamDeliveryInput(TypedDict):
    method: Literal["urn:ietf:rfc:8936", "urn:ietf:rfc:8935"]
    endpoint_url: NotRequired[str]
    authorization_header: NotRequired[str]


class CreateStreamResponseDelivery(TypedDict):
    method: Literal["urn:ietf:rfc:8936", "urn:ietf:rfc:8935"]
    endpoint_url: str


class CreateStreamResponse(TypedDict):
    stream_id: str
    iss: str
    aud: str
    delivery: CreateStreamResponseDelivery
    events_supported: list[Literal["https://schemas.openid.net/secevent/caep/event-type/session-revoked", "https://schemas.openid.net/secevent/caep/event-type/token-claims-change"]]
    events_requested: list[str]
    events_delivered: list[Literal["https://schemas.openid.net/secevent/caep/event-type/session-revoked", "https://schemas.openid.net/secevent/caep/event-type/token-claims-change"]]
    min_verification_interval: NotRequired[int]
    description: NotRequired[str]
    created_at: str
    created_by: NotRequired[str]


class DeleteStreamResponse(TypedDict):
    deleted: bool
    stream_id: str


class GetStreamStatusResponse(TypedDict):
    stream_id: str
    status: Literal["enabled", "paused", "disabled"]
    reason: NotRequired[str]


class PollStreamResponse(TypedDict):
    sets: dict[str, str]
    moreAvailable: NotRequired[bool]


class ListPoliciesResponseDataItem(TypedDict):
    name: Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]
    version: str
    title: str
    note: str
    rule_count: int


class ListPoliciesResponse(TypedDict):
    data: list[ListPoliciesResponseDataItem]


class GetPolicyResponseRulesItemCheck1(TypedDict):
    kind: Literal["max_lifetime_s"]
    value: int


class GetPolicyResponseRulesItemCheck2(TypedDict):
    kind: Literal["min_level"]
    value: Literal["L1", "L2", "L3"]


class GetPolicyResponseRulesItemCheck3(TypedDict):
    kind: Literal["verified_within_s"]
    value: int


class GetPolicyResponseRulesItemCheck4(TypedDict):
    kind: Literal["min_vouch_score"]
    value: float


class GetPolicyResponseRulesItemCheck5(TypedDict):
    kind: Literal["no_wildcard", "key_bound", "named_human", "logged", "revocable", "decided_per_request"]


class GetPolicyResponseRulesItem(TypedDict):
    id: str
    control: str
    sentence: str
    check: GetPolicyResponseRulesItemCheck1 | GetPolicyResponseRulesItemCheck2 | GetPolicyResponseRulesItemCheck3 | GetPolicyResponseRulesItemCheck4 | GetPolicyResponseRulesItemCheck5


class GetPolicyResponse(TypedDict):
    name: Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]
    version: str
    title: str
    note: str
    rules: list[GetPolicyResponseRulesItem]


class EvaluatePoliciesResponseFindingsItem(TypedDict):
    framework: Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]
    id: str
    control: str
    rule: str
    met: bool
    evidence: str


class EvaluatePoliciesResponse(TypedDict):
    met: bool
    findings: list[EvaluatePoliciesResponseFindingsItem]


class CreateTenantVerification1Input(TypedDict):
    providers: Sequence[str]
    default: NotRequired[str]


class CreateTenantReviewInput(TypedDict):
    sample_pct: NotRequired[float]
    above_usd: NotRequired[float]


class CreateTenantFaceApprovals1Input(TypedDict):
    above_usd: NotRequired[float]
    actions: NotRequired[Sequence[str]]
    max_age_s: int


class CreateTenantMessages1Input(TypedDict):
    channels: NotRequired[Sequence[Literal["email", "push", "slack", "teams", "webhook"]]]
    escalate_after_minutes: NotRequired[int]
    escalate_to: NotRequired[Sequence[str]]
    slack_signing_secret: NotRequired[str]


class TenantVerification(TypedDict):
    providers: list[str]
    default: NotRequired[str]


class TenantReview(TypedDict):
    sample_pct: NotRequired[float]
    above_usd: NotRequired[float]


class TenantFaceApprovals(TypedDict):
    above_usd: NotRequired[float]
    actions: NotRequired[list[str]]
    max_age_s: int


class TenantMessages(TypedDict):
    channels: NotRequired[list[Literal["email", "push", "slack", "teams", "webhook"]]]
    escalate_after_minutes: NotRequired[int]
    escalate_to: NotRequired[list[str]]
    slack_interactions: bool


class Tenant(TypedDict):
    tenant_id: str
    name: str
    allow_bearer: bool
    step_up: list[Literal["rate", "approve", "issue_l2", "revoke_many", "erase", "passkeys", "duress", "vouch"]]
    reviewers: list[str]
    rate_limit: NotRequired[int]
    verification: NotRequired[TenantVerification]
    review: NotRequired[TenantReview]
    face_approvals: NotRequired[TenantFaceApprovals]
    messages: NotRequired[TenantMessages]
    passkey_aaguids: NotRequired[list[str]]
    created_at: str
    log_index: NotRequired[int]


class ListTenantsResponse(TypedDict):
    data: list[Tenant]
    next_cursor: str | None
    has_more: bool


class CreateKeyResponse(TypedDict):
    key_id: str
    tenant_id: str
    name: str
    role: Literal["operator", "developer", "resource_server", "auditor", "safety"]
    audience: NotRequired[str]
    created_at: str
    expires_at: str
    created_by: str
    held_by: NotRequired[str]
    log_index: int
    last_used_at: NotRequired[str]
    key: str


class ListKeysResponseDataItem(TypedDict):
    key_id: str
    tenant_id: str
    name: str
    role: Literal["operator", "developer", "resource_server", "auditor", "safety"]
    audience: NotRequired[str]
    created_at: str
    expires_at: str
    created_by: str
    held_by: NotRequired[str]
    log_index: int
    last_used_at: NotRequired[str]


class ListKeysResponse(TypedDict):
    data: list[ListKeysResponseDataItem]
    next_cursor: str | None
    has_more: bool


class DeleteKeyResponse(TypedDict):
    deleted: bool
    key_id: str
    disabled_webhooks: list[str]
    kept_streams: list[str]


class ListSecurityEventsResponseDataItem(TypedDict):
    kind: Literal["credential_invalid", "role_not_allowed", "not_yours", "step_up_required", "passkey_refused", "cross_site_request", "host_not_allowed", "rate_limited"]
    reason: NotRequired[str]
    caller: str
    network: NotRequired[str]
    operation: str
    hour: str
    count: int
    first_at: str
    last_at: str


class ListSecurityEventsResponse(TypedDict):
    data: list[ListSecurityEventsResponseDataItem]
    next_cursor: str | None
    has_more: bool


class RotateSigningKeyResponse(TypedDict):
    kid: str
    log_index: int


class WithdrawSigningKeyResponse(TypedDict):
    kid: str
    already_withdrawn: bool
    withdrawn_at: str
    withdrawn_from: str
    active_kid: str
    revoked_count: int
    log_index: int


class ListSigningKeysResponseDataItem(TypedDict):
    kid: str
    purpose: Literal["tokens", "status_lists", "statements"]
    status: Literal["active", "next", "retired", "withdrawn"]
    created_at: str
    active_from: NotRequired[str]
    retired_at: NotRequired[str]
    published_until: NotRequired[str]
    withdrawn_at: NotRequired[str]
    withdrawn_from: NotRequired[str]


class ListSigningKeysResponse(TypedDict):
    data: list[ListSigningKeysResponseDataItem]


class GetKeySetResponseKeysItem(TypedDict):
    kty: str
    crv: str
    x: str
    kid: str
    alg: str
    use: str
    purpose: str


class GetKeySetResponse(TypedDict):
    keys: list[GetKeySetResponseKeysItem]


class GetAuthorizationServerResponse(TypedDict):
    issuer: str
    token_endpoint: str
    revocation_endpoint: str
    introspection_endpoint: str
    jwks_uri: str
    service_documentation: str
    response_types_supported: list[str]
    grant_types_supported: list[str]
    token_endpoint_auth_methods_supported: list[str]
    introspection_endpoint_auth_methods_supported: list[str]
    revocation_endpoint_auth_methods_supported: list[str]
    dpop_signing_alg_values_supported: list[str]


class GetAuthzenConfigurationResponse(TypedDict):
    policy_decision_point: str
    access_evaluation_endpoint: str
    access_evaluations_endpoint: str


class GetDeploymentResponseApi(TypedDict):
    version: str
    openapi: str
    docs: str


class GetDeploymentResponseLog(TypedDict):
    origin: str
    vkey: str


class GetDeploymentResponse(TypedDict):
    issuer: str
    access: str
    api: GetDeploymentResponseApi
    jwks_uri: str
    log: GetDeploymentResponseLog


class GetHealthResponse(TypedDict):
    status: Literal["ok"]


class GetReadinessResponse(TypedDict):
    status: Literal["ready"]
    ready: Literal[True]
    reasons: list[PreviewDelegationResponseRefusal]
    log_verified_at: NotRequired[str]
    warnings: NotRequired[list[Literal["restore_unnoticed"]]]


class GetServiceStatusResponseLog(TypedDict):
    size: int
    checkpoint_size: NotRequired[int]
    checkpoint_signed_at: NotRequired[str]
    verified_at: NotRequired[str]


class GetServiceStatusResponseWitnesses(TypedDict):
    configured: int
    failing: int
    quorum: int


class GetServiceStatusResponseDisk(TypedDict):
    free_bytes: int
    total_bytes: int


class GetServiceStatusResponseMinutesItem(TypedDict):
    start: str
    commits: int
    commands: int
    failures: int
    p50_ms: float
    p99_ms: float
    most_waiting: int
    memory_bytes: int


class GetServiceStatusResponse(TypedDict):
    version: str
    access: Literal["open", "keyed"]
    started_at: str
    ready: bool
    reasons: list[PreviewDelegationResponseRefusal]
    warnings: list[Literal["restore_unnoticed"]]
    waiting: int
    log: GetServiceStatusResponseLog
    witnesses: GetServiceStatusResponseWitnesses
    last_backup_at: NotRequired[str]
    memory_bytes: int
    disk: NotRequired[GetServiceStatusResponseDisk]
    minutes: list[GetServiceStatusResponseMinutesItem]


DeputyEvent: TypeAlias = (
    TokenIssuedEvent
    | TokenDelegatedEvent
    | TokenRenewedEvent
    | TokenRevokedEvent
    | TokenSuspendedEvent
    | TokenResumedEvent
    | ActionAuthorizedEvent
    | ActionDeniedEvent
    | ActionCompletedEvent
    | ActionCancelledEvent
    | ActionExpiredEvent
    | ActionRatedEvent
    | ApprovalRequestedEvent
    | ApprovalEndorsedEvent
    | ApprovalEscalatedEvent
    | ApprovalDecidedEvent
    | ApprovalGrantEndedEvent
    | ApprovalHabitEndedEvent
    | BudgetThresholdEvent
    | BudgetExhaustedEvent
    | AgentRegisteredEvent
    | AgentSuspendedEvent
    | AgentResumedEvent
    | AgentRevokedEvent
    | HumanRevokedEvent
    | HumanRefusedEvent
    | HumanAcceptedEvent
    | HumanErasedEvent
    | VouchCreatedEvent
    | VouchChangedEvent
    | VouchWithdrawnEvent
    | AnchorNamedEvent
    | AnchorRemovedEvent
    | AlertFiredEvent
    | VerificationCompletedEvent
    | SessionBegunEvent
    | SessionEndedEvent
    | KeyRotatedEvent
    | KeyWithdrawnEvent
    | AccessChangedEvent
    | DeploymentRestoredEvent
    | WebhookDisabledEvent
    | RegistryChangedEvent
)


class _Tokens(Transport):
    """Issue and inspect tokens."""

    def issue_l1(
        self,
        *,
        developer_email: str,
        agent_id: str,
        resources: Sequence[str],
        actions: Sequence[str],
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
    ) -> IssuedToken:
        """Issue a root token (L1). Issues a token from an email address alone, for development, testing and low-
        risk automation. Starts a new workflow.
        """
        return self._call(
            Call[IssuedToken](
                "POST",
                "/v1/vat/issue/l1",
                body={
                    "developer_email": developer_email,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "agent_jwk": agent_jwk,
                    "policy_assertions": policy_assertions,
                    "purpose": purpose,
                },
                idempotency_key=idempotency_key,
            )
        )

    def issue_l2(
        self,
        *,
        agent_id: str,
        resources: Sequence[str],
        actions: Sequence[str],
        id_token: str | None = None,
        nonce: str | None = None,
        login_id: str | None = None,
        constraints: ConstraintsInput | None = None,
        audience: str | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        purpose: str | None = None,
        expires_in: int | None = None,
        idempotency_key: str | None = None,
    ) -> IssuedToken:
        """Issue a root token (L2). Issues a token for a person who signed in with a configured provider. Send
        either an `id_token` or the `login_id` of a finished sign-in; a person who calls with their own signed-
        in session needs neither. Each proof works for one token. If groups are configured for the provider, the
        scope must stay within the groups of the person.
        """
        return self._call(
            Call[IssuedToken](
                "POST",
                "/v1/vat/issue/l2",
                body={
                    "id_token": id_token,
                    "nonce": nonce,
                    "login_id": login_id,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "audience": audience,
                    "agent_jwk": agent_jwk,
                    "policy_assertions": policy_assertions,
                    "purpose": purpose,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_tokens(
        self,
        *,
        agent_id: str | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        status: Literal["live", "not_yet_valid", "expired", "suspended", "revoked"] | None = None,
        expires_before: str | None = None,
        budget_used_above: float | None = None,
        q: str | None = None,
        sort: Literal["newest", "expires_first", "most_used"] | None = None,
        total: Literal["1", "true"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListTokensResponse:
        """List tokens. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is
        true. Another `sort` returns one page of the newest 1,000 tokens that match.
        """
        return self._call(
            Call[ListTokensResponse](
                "GET",
                "/v1/vat/tokens",
                query={
                    "agent_id": agent_id,
                    "assurance_level": assurance_level,
                    "human_ref": human_ref,
                    "provenance_ref": provenance_ref,
                    "status": status,
                    "expires_before": expires_before,
                    "budget_used_above": budget_used_above,
                    "q": q,
                    "sort": sort,
                    "total": total,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_tokens(
        self,
        *,
        agent_id: str | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        status: Literal["live", "not_yet_valid", "expired", "suspended", "revoked"] | None = None,
        expires_before: str | None = None,
        budget_used_above: float | None = None,
        q: str | None = None,
        sort: Literal["newest", "expires_first", "most_used"] | None = None,
        total: Literal["1", "true"] | None = None,
        limit: int | None = None,
    ) -> Iterator[TokenView]:
        """Everything that `list_tokens` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_tokens(
                agent_id=agent_id,
                assurance_level=assurance_level,
                human_ref=human_ref,
                provenance_ref=provenance_ref,
                status=status,
                expires_before=expires_before,
                budget_used_above=budget_used_above,
                q=q,
                sort=sort,
                total=total,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_token(
        self,
        jti: str,
    ) -> TokenView:
        """Get a token. Returns its scope, its status and its use so far."""
        return self._call(
            Call[TokenView](
                "GET",
                "/v1/vat/tokens/{}",
                path_values=(jti,),
            )
        )

    def get_token_chain(
        self,
        jti: str,
    ) -> GetTokenChainResponse:
        """Get the chain above a token."""
        return self._call(
            Call[GetTokenChainResponse](
                "GET",
                "/v1/vat/tokens/{}/chain",
                path_values=(jti,),
            )
        )

    def list_descendants(
        self,
        jti: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListDescendantsResponse:
        """List the tokens below a token."""
        return self._call(
            Call[ListDescendantsResponse](
                "GET",
                "/v1/vat/tokens/{}/descendants",
                path_values=(jti,),
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_descendants(
        self,
        jti: str,
        *,
        limit: int | None = None,
    ) -> Iterator[TokenView]:
        """Everything that `list_descendants` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_descendants(
                jti,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_token_budget(
        self,
        jti: str,
    ) -> GetTokenBudgetResponse:
        """Get the budget of a token. Returns its own account and the tightest budget among its ancestors. A token
        without a budget in its chain can spend up to 9 billion dollars in total.
        """
        return self._call(
            Call[GetTokenBudgetResponse](
                "GET",
                "/v1/vat/tokens/{}/budget",
                path_values=(jti,),
            )
        )

    def get_token_usage(
        self,
        jti: str,
    ) -> GetTokenUsageResponse:
        """Compare the granted scope with the used scope. Counts what the token and every token below it have used,
        and suggests a narrower scope.
        """
        return self._call(
            Call[GetTokenUsageResponse](
                "GET",
                "/v1/vat/tokens/{}/usage",
                path_values=(jti,),
            )
        )

    def release_token(
        self,
        jti: str,
        *,
        idempotency_key: str | None = None,
    ) -> ReleaseTokenResponse:
        """Release a token from review. For the safety desk only: releases the token and those that it renews. From
        now on, they hold nothing for review, neither their own actions nor those of tokens below them. If the
        token was delegated from one that is under review, release that one. The response does not show whether
        anything was held before.
        """
        return self._call(
            Call[ReleaseTokenResponse](
                "POST",
                "/v1/vat/tokens/{}/release",
                path_values=(jti,),
                body={
                },
                idempotency_key=idempotency_key,
            )
        )


class _AsyncTokens(AsyncTransport):
    """Issue and inspect tokens."""

    async def issue_l1(
        self,
        *,
        developer_email: str,
        agent_id: str,
        resources: Sequence[str],
        actions: Sequence[str],
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
    ) -> IssuedToken:
        """Issue a root token (L1). Issues a token from an email address alone, for development, testing and low-
        risk automation. Starts a new workflow.
        """
        return await self._call(
            Call[IssuedToken](
                "POST",
                "/v1/vat/issue/l1",
                body={
                    "developer_email": developer_email,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "agent_jwk": agent_jwk,
                    "policy_assertions": policy_assertions,
                    "purpose": purpose,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def issue_l2(
        self,
        *,
        agent_id: str,
        resources: Sequence[str],
        actions: Sequence[str],
        id_token: str | None = None,
        nonce: str | None = None,
        login_id: str | None = None,
        constraints: ConstraintsInput | None = None,
        audience: str | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        purpose: str | None = None,
        expires_in: int | None = None,
        idempotency_key: str | None = None,
    ) -> IssuedToken:
        """Issue a root token (L2). Issues a token for a person who signed in with a configured provider. Send
        either an `id_token` or the `login_id` of a finished sign-in; a person who calls with their own signed-
        in session needs neither. Each proof works for one token. If groups are configured for the provider, the
        scope must stay within the groups of the person.
        """
        return await self._call(
            Call[IssuedToken](
                "POST",
                "/v1/vat/issue/l2",
                body={
                    "id_token": id_token,
                    "nonce": nonce,
                    "login_id": login_id,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "audience": audience,
                    "agent_jwk": agent_jwk,
                    "policy_assertions": policy_assertions,
                    "purpose": purpose,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_tokens(
        self,
        *,
        agent_id: str | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        status: Literal["live", "not_yet_valid", "expired", "suspended", "revoked"] | None = None,
        expires_before: str | None = None,
        budget_used_above: float | None = None,
        q: str | None = None,
        sort: Literal["newest", "expires_first", "most_used"] | None = None,
        total: Literal["1", "true"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListTokensResponse:
        """List tokens. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is
        true. Another `sort` returns one page of the newest 1,000 tokens that match.
        """
        return await self._call(
            Call[ListTokensResponse](
                "GET",
                "/v1/vat/tokens",
                query={
                    "agent_id": agent_id,
                    "assurance_level": assurance_level,
                    "human_ref": human_ref,
                    "provenance_ref": provenance_ref,
                    "status": status,
                    "expires_before": expires_before,
                    "budget_used_above": budget_used_above,
                    "q": q,
                    "sort": sort,
                    "total": total,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_tokens(
        self,
        *,
        agent_id: str | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        status: Literal["live", "not_yet_valid", "expired", "suspended", "revoked"] | None = None,
        expires_before: str | None = None,
        budget_used_above: float | None = None,
        q: str | None = None,
        sort: Literal["newest", "expires_first", "most_used"] | None = None,
        total: Literal["1", "true"] | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[TokenView]:
        """Everything that `list_tokens` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_tokens(
                agent_id=agent_id,
                assurance_level=assurance_level,
                human_ref=human_ref,
                provenance_ref=provenance_ref,
                status=status,
                expires_before=expires_before,
                budget_used_above=budget_used_above,
                q=q,
                sort=sort,
                total=total,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_token(
        self,
        jti: str,
    ) -> TokenView:
        """Get a token. Returns its scope, its status and its use so far."""
        return await self._call(
            Call[TokenView](
                "GET",
                "/v1/vat/tokens/{}",
                path_values=(jti,),
            )
        )

    async def get_token_chain(
        self,
        jti: str,
    ) -> GetTokenChainResponse:
        """Get the chain above a token."""
        return await self._call(
            Call[GetTokenChainResponse](
                "GET",
                "/v1/vat/tokens/{}/chain",
                path_values=(jti,),
            )
        )

    async def list_descendants(
        self,
        jti: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListDescendantsResponse:
        """List the tokens below a token."""
        return await self._call(
            Call[ListDescendantsResponse](
                "GET",
                "/v1/vat/tokens/{}/descendants",
                path_values=(jti,),
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_descendants(
        self,
        jti: str,
        *,
        limit: int | None = None,
    ) -> AsyncIterator[TokenView]:
        """Everything that `list_descendants` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_descendants(
                jti,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_token_budget(
        self,
        jti: str,
    ) -> GetTokenBudgetResponse:
        """Get the budget of a token. Returns its own account and the tightest budget among its ancestors. A token
        without a budget in its chain can spend up to 9 billion dollars in total.
        """
        return await self._call(
            Call[GetTokenBudgetResponse](
                "GET",
                "/v1/vat/tokens/{}/budget",
                path_values=(jti,),
            )
        )

    async def get_token_usage(
        self,
        jti: str,
    ) -> GetTokenUsageResponse:
        """Compare the granted scope with the used scope. Counts what the token and every token below it have used,
        and suggests a narrower scope.
        """
        return await self._call(
            Call[GetTokenUsageResponse](
                "GET",
                "/v1/vat/tokens/{}/usage",
                path_values=(jti,),
            )
        )

    async def release_token(
        self,
        jti: str,
        *,
        idempotency_key: str | None = None,
    ) -> ReleaseTokenResponse:
        """Release a token from review. For the safety desk only: releases the token and those that it renews. From
        now on, they hold nothing for review, neither their own actions nor those of tokens below them. If the
        token was delegated from one that is under review, release that one. The response does not show whether
        anything was held before.
        """
        return await self._call(
            Call[ReleaseTokenResponse](
                "POST",
                "/v1/vat/tokens/{}/release",
                path_values=(jti,),
                body={
                },
                idempotency_key=idempotency_key,
            )
        )


class _Delegation(Transport):
    """Pass authority to another agent, always narrower."""

    def delegate(
        self,
        *,
        vat_jti: str,
        agent_id: str,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
    ) -> DelegatedToken:
        """Delegate to another agent. Issues a child token. The parent must be live and hold the action `delegate`.
        Lists that you leave out are inherited (without `delegate`), the constraints of the parent stay binding,
        and anything wider than the parent is refused and listed in `widening`. A child of a token that is bound
        to a key must be bound to a key too. In keyed mode an agent delegates to a new name, to an agent that it
        has created by delegation, or to the `agent_jwk` that the other agent has registered.
        """
        return self._call(
            Call[DelegatedToken](
                "POST",
                "/v1/vat/delegate",
                body={
                    "vat_jti": vat_jti,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "policy_assertions": policy_assertions,
                    "agent_jwk": agent_jwk,
                    "purpose": purpose,
                },
                idempotency_key=idempotency_key,
            )
        )

    def preview_delegation(
        self,
        *,
        vat_jti: str,
        agent_id: str,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
    ) -> PreviewDelegationResponse:
        """Preview a delegation. Returns the child that a delegation would create, and everything that would be
        refused. A request that is invalid for the delegation is invalid here too. Stores nothing.
        """
        return self._call(
            Call[PreviewDelegationResponse](
                "POST",
                "/v1/vat/delegate/preview",
                body={
                    "vat_jti": vat_jti,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "policy_assertions": policy_assertions,
                    "agent_jwk": agent_jwk,
                    "purpose": purpose,
                },
                idempotency_key=idempotency_key,
            )
        )

    def renew_token(
        self,
        *,
        vat_jti: str,
        expires_in: int,
        idempotency_key: str | None = None,
    ) -> RenewTokenResponse:
        """Renew a token. Issues a fresh token with the same scope and workflow, within the limits of its assurance
        level and its parent. It shares budgets and counts with the token it renews, and each of the two is
        revoked and suspended with the other. A token that is bound to a key which its agent no longer uses is
        not renewed.
        """
        return self._call(
            Call[RenewTokenResponse](
                "POST",
                "/v1/vat/renew",
                body={
                    "vat_jti": vat_jti,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )


class _AsyncDelegation(AsyncTransport):
    """Pass authority to another agent, always narrower."""

    async def delegate(
        self,
        *,
        vat_jti: str,
        agent_id: str,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
    ) -> DelegatedToken:
        """Delegate to another agent. Issues a child token. The parent must be live and hold the action `delegate`.
        Lists that you leave out are inherited (without `delegate`), the constraints of the parent stay binding,
        and anything wider than the parent is refused and listed in `widening`. A child of a token that is bound
        to a key must be bound to a key too. In keyed mode an agent delegates to a new name, to an agent that it
        has created by delegation, or to the `agent_jwk` that the other agent has registered.
        """
        return await self._call(
            Call[DelegatedToken](
                "POST",
                "/v1/vat/delegate",
                body={
                    "vat_jti": vat_jti,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "policy_assertions": policy_assertions,
                    "agent_jwk": agent_jwk,
                    "purpose": purpose,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def preview_delegation(
        self,
        *,
        vat_jti: str,
        agent_id: str,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
    ) -> PreviewDelegationResponse:
        """Preview a delegation. Returns the child that a delegation would create, and everything that would be
        refused. A request that is invalid for the delegation is invalid here too. Stores nothing.
        """
        return await self._call(
            Call[PreviewDelegationResponse](
                "POST",
                "/v1/vat/delegate/preview",
                body={
                    "vat_jti": vat_jti,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "policy_assertions": policy_assertions,
                    "agent_jwk": agent_jwk,
                    "purpose": purpose,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def renew_token(
        self,
        *,
        vat_jti: str,
        expires_in: int,
        idempotency_key: str | None = None,
    ) -> RenewTokenResponse:
        """Renew a token. Issues a fresh token with the same scope and workflow, within the limits of its assurance
        level and its parent. It shares budgets and counts with the token it renews, and each of the two is
        revoked and suspended with the other. A token that is bound to a key which its agent no longer uses is
        not renewed.
        """
        return await self._call(
            Call[RenewTokenResponse](
                "POST",
                "/v1/vat/renew",
                body={
                    "vat_jti": vat_jti,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )


class _Revocation(Transport):
    """Revoke and suspend tokens."""

    def revoke_token(
        self,
        *,
        vat_jti: str,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> RevokeTokenResponse:
        """Revoke a token. Revokes the token, the tokens that it renews and every token below them before the
        response is sent. Revoking a token again changes nothing and is not an error. You can still complete
        pending records, so no evidence is lost.
        """
        return self._call(
            Call[RevokeTokenResponse](
                "POST",
                "/v1/vat/revoke",
                body={
                    "vat_jti": vat_jti,
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    def preview_revocation(
        self,
        *,
        vat_jti: str,
        idempotency_key: str | None = None,
    ) -> PreviewRevocationResponse:
        """Preview a revocation. Returns what revoking the token would stop. Changes nothing."""
        return self._call(
            Call[PreviewRevocationResponse](
                "POST",
                "/v1/vat/revoke/preview",
                body={
                    "vat_jti": vat_jti,
                },
                idempotency_key=idempotency_key,
            )
        )

    def suspend_token(
        self,
        jti: str,
        *,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> SuspendTokenResponse:
        """Suspend a token. Freezes the token, the tokens that it renews and every token below them until it is
        resumed by a caller of your rank or a higher one: agent, developer, person, operator. Suspending again
        changes nothing, unless your rank is higher: then only your rank or a higher one can resume the token.
        """
        return self._call(
            Call[SuspendTokenResponse](
                "POST",
                "/v1/vat/tokens/{}/suspend",
                path_values=(jti,),
                body={
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    def resume_token(
        self,
        jti: str,
        *,
        idempotency_key: str | None = None,
    ) -> SuspendTokenResponse:
        """Resume a suspended token. Also resumes the tokens that this one renews. Needs the rank of the caller who
        suspended each of them, or a higher one.
        """
        return self._call(
            Call[SuspendTokenResponse](
                "POST",
                "/v1/vat/tokens/{}/resume",
                path_values=(jti,),
                idempotency_key=idempotency_key,
            )
        )

    def revoke_oauth_token(
        self,
        *,
        token: str,
        token_type_hint: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        idempotency_key: str | None = None,
    ) -> RevokeOauthTokenResponse:
        """Revoke a token (RFC 7009). Revocation in the standard form, for OAuth clients. The holder of a token,
        and of the key that it is bound to, can revoke it; others authenticate with an API key. Revoking a token
        that is unknown, expired or already revoked is not an error.
        """
        return self._call(
            Call[RevokeOauthTokenResponse](
                "POST",
                "/oauth/revoke",
                body={
                    "token": token,
                    "token_type_hint": token_type_hint,
                    "client_id": client_id,
                    "client_secret": client_secret,
                },
                is_form=True,
                idempotency_key=idempotency_key,
            )
        )

    def revoke_agent(
        self,
        *,
        agent_id: str,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> RevokeAgentResponse:
        """Revoke every token of an agent. Revokes the tokens of the agent and every token delegated from those.
        `revoked_count` counts the tokens of the agent. Tokens issued later are not affected: suspend the agent
        to stop those too.
        """
        return self._call(
            Call[RevokeAgentResponse](
                "POST",
                "/v1/vat/revoke/agent",
                body={
                    "agent_id": agent_id,
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    def revoke_human(
        self,
        *,
        human_ref: str,
        reason: str | None = None,
        refuse_new: bool | None = None,
        idempotency_key: str | None = None,
    ) -> RevokeHumanResponse:
        """Revoke every token of a person. Tokens issued later are not affected, unless you send `refuse_new`: then
        no new token is issued in the name of the person until they or an operator accept tokens again. If an
        operator does this, the sessions of the person end, and so do the keys that they hold by signing in to
        the dashboard.
        """
        return self._call(
            Call[RevokeHumanResponse](
                "POST",
                "/v1/vat/revoke/human",
                body={
                    "human_ref": human_ref,
                    "reason": reason,
                    "refuse_new": refuse_new,
                },
                idempotency_key=idempotency_key,
            )
        )


class _AsyncRevocation(AsyncTransport):
    """Revoke and suspend tokens."""

    async def revoke_token(
        self,
        *,
        vat_jti: str,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> RevokeTokenResponse:
        """Revoke a token. Revokes the token, the tokens that it renews and every token below them before the
        response is sent. Revoking a token again changes nothing and is not an error. You can still complete
        pending records, so no evidence is lost.
        """
        return await self._call(
            Call[RevokeTokenResponse](
                "POST",
                "/v1/vat/revoke",
                body={
                    "vat_jti": vat_jti,
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def preview_revocation(
        self,
        *,
        vat_jti: str,
        idempotency_key: str | None = None,
    ) -> PreviewRevocationResponse:
        """Preview a revocation. Returns what revoking the token would stop. Changes nothing."""
        return await self._call(
            Call[PreviewRevocationResponse](
                "POST",
                "/v1/vat/revoke/preview",
                body={
                    "vat_jti": vat_jti,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def suspend_token(
        self,
        jti: str,
        *,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> SuspendTokenResponse:
        """Suspend a token. Freezes the token, the tokens that it renews and every token below them until it is
        resumed by a caller of your rank or a higher one: agent, developer, person, operator. Suspending again
        changes nothing, unless your rank is higher: then only your rank or a higher one can resume the token.
        """
        return await self._call(
            Call[SuspendTokenResponse](
                "POST",
                "/v1/vat/tokens/{}/suspend",
                path_values=(jti,),
                body={
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def resume_token(
        self,
        jti: str,
        *,
        idempotency_key: str | None = None,
    ) -> SuspendTokenResponse:
        """Resume a suspended token. Also resumes the tokens that this one renews. Needs the rank of the caller who
        suspended each of them, or a higher one.
        """
        return await self._call(
            Call[SuspendTokenResponse](
                "POST",
                "/v1/vat/tokens/{}/resume",
                path_values=(jti,),
                idempotency_key=idempotency_key,
            )
        )

    async def revoke_oauth_token(
        self,
        *,
        token: str,
        token_type_hint: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        idempotency_key: str | None = None,
    ) -> RevokeOauthTokenResponse:
        """Revoke a token (RFC 7009). Revocation in the standard form, for OAuth clients. The holder of a token,
        and of the key that it is bound to, can revoke it; others authenticate with an API key. Revoking a token
        that is unknown, expired or already revoked is not an error.
        """
        return await self._call(
            Call[RevokeOauthTokenResponse](
                "POST",
                "/oauth/revoke",
                body={
                    "token": token,
                    "token_type_hint": token_type_hint,
                    "client_id": client_id,
                    "client_secret": client_secret,
                },
                is_form=True,
                idempotency_key=idempotency_key,
            )
        )

    async def revoke_agent(
        self,
        *,
        agent_id: str,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> RevokeAgentResponse:
        """Revoke every token of an agent. Revokes the tokens of the agent and every token delegated from those.
        `revoked_count` counts the tokens of the agent. Tokens issued later are not affected: suspend the agent
        to stop those too.
        """
        return await self._call(
            Call[RevokeAgentResponse](
                "POST",
                "/v1/vat/revoke/agent",
                body={
                    "agent_id": agent_id,
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def revoke_human(
        self,
        *,
        human_ref: str,
        reason: str | None = None,
        refuse_new: bool | None = None,
        idempotency_key: str | None = None,
    ) -> RevokeHumanResponse:
        """Revoke every token of a person. Tokens issued later are not affected, unless you send `refuse_new`: then
        no new token is issued in the name of the person until they or an operator accept tokens again. If an
        operator does this, the sessions of the person end, and so do the keys that they hold by signing in to
        the dashboard.
        """
        return await self._call(
            Call[RevokeHumanResponse](
                "POST",
                "/v1/vat/revoke/human",
                body={
                    "human_ref": human_ref,
                    "reason": reason,
                    "refuse_new": refuse_new,
                },
                idempotency_key=idempotency_key,
            )
        )


class _Verification(Transport):
    """Verify, introspect and exchange tokens, also offline."""

    def verify_token(
        self,
        *,
        compact_jwt: str,
        audience: str | None = None,
        idempotency_key: str | None = None,
    ) -> VerifyTokenResponse:
        """Verify a token. Checks the signature, the validity times, that this service issued the token, and that
        every ancestor is live. For an invalid token the response is `valid: false`, not an error.
        """
        return self._call(
            Call[VerifyTokenResponse](
                "POST",
                "/v1/vat/verify",
                body={
                    "compact_jwt": compact_jwt,
                    "audience": audience,
                },
                idempotency_key=idempotency_key,
            )
        )

    def introspect_token(
        self,
        *,
        token: str,
        token_type_hint: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        idempotency_key: str | None = None,
    ) -> IntrospectTokenResponse:
        """Introspect a token (RFC 7662). Returns the claims of a valid token, and `{"active": false}` without a
        reason for anything else.
        """
        return self._call(
            Call[IntrospectTokenResponse](
                "POST",
                "/v1/vat/introspect",
                body={
                    "token": token,
                    "token_type_hint": token_type_hint,
                    "client_id": client_id,
                    "client_secret": client_secret,
                },
                is_form=True,
                idempotency_key=idempotency_key,
            )
        )

    def exchange_token(
        self,
        *,
        grant_type: str,
        subject_token: str,
        subject_token_type: str,
        requested_token_type: str | None = None,
        actor_token: str | None = None,
        actor_token_type: str | None = None,
        scope: str | None = None,
        agent_id: str | None = None,
        audience: str | None = None,
        resource: str | None = None,
        expires_in: int | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        idempotency_key: str | None = None,
    ) -> ExchangeTokenResponse:
        """Exchange a token for a narrower one (RFC 8693). Delegation in the standard form: the subject token is
        the parent. The request needs no other credential: a subject token that is bound to a key needs a DPoP
        proof of that key (RFC 9449), and the new token is bound to the key of the proof. Errors are OAuth
        errors (`error`, `error_description`).
        """
        return self._call(
            Call[ExchangeTokenResponse](
                "POST",
                "/oauth/token",
                body={
                    "grant_type": grant_type,
                    "subject_token": subject_token,
                    "subject_token_type": subject_token_type,
                    "requested_token_type": requested_token_type,
                    "actor_token": actor_token,
                    "actor_token_type": actor_token_type,
                    "scope": scope,
                    "agent_id": agent_id,
                    "audience": audience,
                    "resource": resource,
                    "expires_in": expires_in,
                    "client_id": client_id,
                    "client_secret": client_secret,
                },
                is_form=True,
                idempotency_key=idempotency_key,
            )
        )

    def list_revocations(
        self,
        *,
        since: int | None = None,
    ) -> ListRevocationsResponse:
        """List revocations since an index. A signed delta for offline verifiers: a compact JWS of type
        `revocations+jwt` whose payload has `iss`, `iat`, `since`, `until`, `has_more` and `entries`. Call again
        with `since` set to `until`. Tokens are identified by the SHA-256 digest of their jti. An entry of kind
        `withdrawn` names the `kid` of a stolen signing key. In keyed mode, entries name agents and people of
        the tenant of the caller only, and the payload names it as `tenant_id`: ask the status list about tokens
        of other tenants. Operators and auditors of `default` read the entries of all tenants, without
        `tenant_id`.
        """
        return self._call(
            Call[ListRevocationsResponse](
                "GET",
                "/v1/vat/revocations",
                query={
                    "since": since,
                },
            )
        )

    def get_status_list(
        self,
    ) -> str:
        """Get the Token Status List. The standard list for verifiers: two bits per token, 1 when it is revoked and
        2 when it is suspended, by itself or through an ancestor. The claim `status.status_list.idx` is the
        index of a token. Entries of expired tokens have no meaning. The claim `withdrawn_keys` lists the `kid`
        of stolen signing keys: refuse every token that they signed.
        """
        return self._call(
            Call[str](
                "GET",
                "/v1/vat/status-list",
                answer="text",
            )
        )


class _AsyncVerification(AsyncTransport):
    """Verify, introspect and exchange tokens, also offline."""

    async def verify_token(
        self,
        *,
        compact_jwt: str,
        audience: str | None = None,
        idempotency_key: str | None = None,
    ) -> VerifyTokenResponse:
        """Verify a token. Checks the signature, the validity times, that this service issued the token, and that
        every ancestor is live. For an invalid token the response is `valid: false`, not an error.
        """
        return await self._call(
            Call[VerifyTokenResponse](
                "POST",
                "/v1/vat/verify",
                body={
                    "compact_jwt": compact_jwt,
                    "audience": audience,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def introspect_token(
        self,
        *,
        token: str,
        token_type_hint: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        idempotency_key: str | None = None,
    ) -> IntrospectTokenResponse:
        """Introspect a token (RFC 7662). Returns the claims of a valid token, and `{"active": false}` without a
        reason for anything else.
        """
        return await self._call(
            Call[IntrospectTokenResponse](
                "POST",
                "/v1/vat/introspect",
                body={
                    "token": token,
                    "token_type_hint": token_type_hint,
                    "client_id": client_id,
                    "client_secret": client_secret,
                },
                is_form=True,
                idempotency_key=idempotency_key,
            )
        )

    async def exchange_token(
        self,
        *,
        grant_type: str,
        subject_token: str,
        subject_token_type: str,
        requested_token_type: str | None = None,
        actor_token: str | None = None,
        actor_token_type: str | None = None,
        scope: str | None = None,
        agent_id: str | None = None,
        audience: str | None = None,
        resource: str | None = None,
        expires_in: int | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        idempotency_key: str | None = None,
    ) -> ExchangeTokenResponse:
        """Exchange a token for a narrower one (RFC 8693). Delegation in the standard form: the subject token is
        the parent. The request needs no other credential: a subject token that is bound to a key needs a DPoP
        proof of that key (RFC 9449), and the new token is bound to the key of the proof. Errors are OAuth
        errors (`error`, `error_description`).
        """
        return await self._call(
            Call[ExchangeTokenResponse](
                "POST",
                "/oauth/token",
                body={
                    "grant_type": grant_type,
                    "subject_token": subject_token,
                    "subject_token_type": subject_token_type,
                    "requested_token_type": requested_token_type,
                    "actor_token": actor_token,
                    "actor_token_type": actor_token_type,
                    "scope": scope,
                    "agent_id": agent_id,
                    "audience": audience,
                    "resource": resource,
                    "expires_in": expires_in,
                    "client_id": client_id,
                    "client_secret": client_secret,
                },
                is_form=True,
                idempotency_key=idempotency_key,
            )
        )

    async def list_revocations(
        self,
        *,
        since: int | None = None,
    ) -> ListRevocationsResponse:
        """List revocations since an index. A signed delta for offline verifiers: a compact JWS of type
        `revocations+jwt` whose payload has `iss`, `iat`, `since`, `until`, `has_more` and `entries`. Call again
        with `since` set to `until`. Tokens are identified by the SHA-256 digest of their jti. An entry of kind
        `withdrawn` names the `kid` of a stolen signing key. In keyed mode, entries name agents and people of
        the tenant of the caller only, and the payload names it as `tenant_id`: ask the status list about tokens
        of other tenants. Operators and auditors of `default` read the entries of all tenants, without
        `tenant_id`.
        """
        return await self._call(
            Call[ListRevocationsResponse](
                "GET",
                "/v1/vat/revocations",
                query={
                    "since": since,
                },
            )
        )

    async def get_status_list(
        self,
    ) -> str:
        """Get the Token Status List. The standard list for verifiers: two bits per token, 1 when it is revoked and
        2 when it is suspended, by itself or through an ancestor. The claim `status.status_list.idx` is the
        index of a token. Entries of expired tokens have no meaning. The claim `withdrawn_keys` lists the `kid`
        of stolen signing keys: refuse every token that they signed.
        """
        return await self._call(
            Call[str](
                "GET",
                "/v1/vat/status-list",
                answer="text",
            )
        )


class _Actions(Transport):
    """Authorize and record the actions of agents."""

    def record_action(
        self,
        *,
        vat_jti: str,
        action: str,
        resource: str,
        result: str,
        result_hash: str | None = None,
        spend_usd: float | None = None,
        parent_aar_id: str | None = None,
        approval_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> RecordActionResponse:
        """Record an action. Authorizes, records and completes one action in a single call."""
        return self._call(
            Call[RecordActionResponse](
                "POST",
                "/v1/vat/record/action",
                body={
                    "vat_jti": vat_jti,
                    "action": action,
                    "resource": resource,
                    "result": result,
                    "result_hash": result_hash,
                    "spend_usd": spend_usd,
                    "parent_aar_id": parent_aar_id,
                    "approval_id": approval_id,
                    "metadata": metadata,
                },
                idempotency_key=idempotency_key,
            )
        )

    def record_batch(
        self,
        *,
        items: Sequence[RecordBatchItemsItemInput],
        idempotency_key: str | None = None,
    ) -> RecordBatchResponse:
        """Record many actions. Up to 1,000 actions. Each item gets its own result, and all of them are committed
        together.
        """
        return self._call(
            Call[RecordBatchResponse](
                "POST",
                "/v1/vat/record/batch",
                body={
                    "items": items,
                },
                idempotency_key=idempotency_key,
            )
        )

    def authorize(
        self,
        *,
        vat_jti: str,
        action: str,
        resource: str,
        spend_usd: float | None = None,
        parent_aar_id: str | None = None,
        approval_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Decision:
        """Authorize an action. Checks an action before the agent takes it. If it is allowed, the service opens a
        pending record. If it is denied, the response is still HTTP 200, with `authorized: false`, the reasons
        and the ID of the stored denial.
        """
        return self._call(
            Call[Decision](
                "POST",
                "/v1/vat/authorize",
                body={
                    "vat_jti": vat_jti,
                    "action": action,
                    "resource": resource,
                    "spend_usd": spend_usd,
                    "parent_aar_id": parent_aar_id,
                    "approval_id": approval_id,
                    "metadata": metadata,
                    "dry_run": dry_run,
                },
                idempotency_key=idempotency_key,
            )
        )

    def authorize_batch(
        self,
        *,
        items: Sequence[AuthorizeBatchItemsItemInput],
        idempotency_key: str | None = None,
    ) -> AuthorizeBatchResponse:
        """Authorize many actions. Up to 1,000 actions. Each item gets its own result, and all of them are
        committed together.
        """
        return self._call(
            Call[AuthorizeBatchResponse](
                "POST",
                "/v1/vat/authorize/batch",
                body={
                    "items": items,
                },
                idempotency_key=idempotency_key,
            )
        )

    def evaluate_access(
        self,
        *,
        subject: EvaluateAccessSubjectInput,
        action: EvaluateAccessActionInput,
        resource: EvaluateAccessResourceInput,
        context: EvaluateAccessContextInput | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluateAccessResponse:
        """Evaluate access (AuthZEN). The Access Evaluation API of the OpenID AuthZEN Authorization API 1.0,
        answered by the same rules as `authorize`. For an unknown subject or resource the decision is false, not
        an error. Nothing is stored unless `context.record` is true.
        """
        return self._call(
            Call[EvaluateAccessResponse](
                "POST",
                "/access/v1/evaluation",
                body={
                    "subject": subject,
                    "action": action,
                    "resource": resource,
                    "context": context,
                },
                idempotency_key=idempotency_key,
            )
        )

    def evaluate_accesses(
        self,
        *,
        subject: EvaluateAccessSubjectInput | None = None,
        action: EvaluateAccessActionInput | None = None,
        resource: EvaluateAccessResourceInput | None = None,
        context: EvaluateAccessContextInput | None = None,
        evaluations: Sequence[EvaluateAccessesEvaluationsItemInput] | None = None,
        options: EvaluateAccessesOptionsInput | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluateAccessesResponse:
        """Evaluate many accesses (AuthZEN). The Access Evaluations API of the OpenID AuthZEN Authorization API
        1.0. Top-level fields are defaults for each evaluation. Without `evaluations` the call is a single
        evaluation.
        """
        return self._call(
            Call[EvaluateAccessesResponse](
                "POST",
                "/access/v1/evaluations",
                body={
                    "subject": subject,
                    "action": action,
                    "resource": resource,
                    "context": context,
                    "evaluations": evaluations,
                    "options": options,
                },
                idempotency_key=idempotency_key,
            )
        )

    def complete_record(
        self,
        id: str,
        *,
        result: str,
        result_hash: str | None = None,
        spend_usd: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Record:
        """Complete a pending record. Closes the record with its outcome and charges the actual spend, or the
        estimate if you leave out `spend_usd`. Repeating the same completion returns the stored record; a
        different one is refused. You can complete a record after its token was revoked; the record is then
        marked.
        """
        return self._call(
            Call[Record](
                "POST",
                "/v1/vat/aar/{}/complete",
                path_values=(id,),
                body={
                    "result": result,
                    "result_hash": result_hash,
                    "spend_usd": spend_usd,
                    "metadata": metadata,
                },
                idempotency_key=idempotency_key,
            )
        )

    def cancel_record(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> Record:
        """Cancel a pending record. Abandons the action and releases its reservation."""
        return self._call(
            Call[Record](
                "POST",
                "/v1/vat/aar/{}/cancel",
                path_values=(id,),
                idempotency_key=idempotency_key,
            )
        )

    def get_record(
        self,
        id: str,
    ) -> Record:
        """Get an action record."""
        return self._call(
            Call[Record](
                "GET",
                "/v1/vat/aar/{}",
                path_values=(id,),
            )
        )

    def list_records(
        self,
        *,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        result: str | None = None,
        rating: Literal["approved", "flagged", "rejected"] | None = None,
        state: Literal["pending", "completed", "cancelled", "expired"] | None = None,
        evidence: Literal["self_reported", "observed", "countersigned"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListRecordsResponse:
        """List action records. Newest first. A page can hold fewer entries than `limit`: continue while `has_more`
        is true.
        """
        return self._call(
            Call[ListRecordsResponse](
                "GET",
                "/v1/vat/aar",
                query={
                    "agent_id": agent_id,
                    "action": action,
                    "resource": resource,
                    "result": result,
                    "rating": rating,
                    "state": state,
                    "evidence": evidence,
                    "assurance_level": assurance_level,
                    "human_ref": human_ref,
                    "provenance_ref": provenance_ref,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_records(
        self,
        *,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        result: str | None = None,
        rating: Literal["approved", "flagged", "rejected"] | None = None,
        state: Literal["pending", "completed", "cancelled", "expired"] | None = None,
        evidence: Literal["self_reported", "observed", "countersigned"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Record]:
        """Everything that `list_records` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_records(
                agent_id=agent_id,
                action=action,
                resource=resource,
                result=result,
                rating=rating,
                state=state,
                evidence=evidence,
                assurance_level=assurance_level,
                human_ref=human_ref,
                provenance_ref=provenance_ref,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_denial(
        self,
        id: str,
    ) -> Denial:
        """Get a denial."""
        return self._call(
            Call[Denial](
                "GET",
                "/v1/vat/denials/{}",
                path_values=(id,),
            )
        )

    def list_denials(
        self,
        *,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        reason: Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListDenialsResponse:
        """List denials. Actions that the rules denied, newest first. A page can hold fewer entries than `limit`:
        continue while `has_more` is true.
        """
        return self._call(
            Call[ListDenialsResponse](
                "GET",
                "/v1/vat/denials",
                query={
                    "agent_id": agent_id,
                    "action": action,
                    "resource": resource,
                    "reason": reason,
                    "assurance_level": assurance_level,
                    "human_ref": human_ref,
                    "provenance_ref": provenance_ref,
                    "total": total,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_denials(
        self,
        *,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        reason: Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Denial]:
        """Everything that `list_denials` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_denials(
                agent_id=agent_id,
                action=action,
                resource=resource,
                reason=reason,
                assurance_level=assurance_level,
                human_ref=human_ref,
                provenance_ref=provenance_ref,
                total=total,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return


class _AsyncActions(AsyncTransport):
    """Authorize and record the actions of agents."""

    async def record_action(
        self,
        *,
        vat_jti: str,
        action: str,
        resource: str,
        result: str,
        result_hash: str | None = None,
        spend_usd: float | None = None,
        parent_aar_id: str | None = None,
        approval_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> RecordActionResponse:
        """Record an action. Authorizes, records and completes one action in a single call."""
        return await self._call(
            Call[RecordActionResponse](
                "POST",
                "/v1/vat/record/action",
                body={
                    "vat_jti": vat_jti,
                    "action": action,
                    "resource": resource,
                    "result": result,
                    "result_hash": result_hash,
                    "spend_usd": spend_usd,
                    "parent_aar_id": parent_aar_id,
                    "approval_id": approval_id,
                    "metadata": metadata,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def record_batch(
        self,
        *,
        items: Sequence[RecordBatchItemsItemInput],
        idempotency_key: str | None = None,
    ) -> RecordBatchResponse:
        """Record many actions. Up to 1,000 actions. Each item gets its own result, and all of them are committed
        together.
        """
        return await self._call(
            Call[RecordBatchResponse](
                "POST",
                "/v1/vat/record/batch",
                body={
                    "items": items,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def authorize(
        self,
        *,
        vat_jti: str,
        action: str,
        resource: str,
        spend_usd: float | None = None,
        parent_aar_id: str | None = None,
        approval_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Decision:
        """Authorize an action. Checks an action before the agent takes it. If it is allowed, the service opens a
        pending record. If it is denied, the response is still HTTP 200, with `authorized: false`, the reasons
        and the ID of the stored denial.
        """
        return await self._call(
            Call[Decision](
                "POST",
                "/v1/vat/authorize",
                body={
                    "vat_jti": vat_jti,
                    "action": action,
                    "resource": resource,
                    "spend_usd": spend_usd,
                    "parent_aar_id": parent_aar_id,
                    "approval_id": approval_id,
                    "metadata": metadata,
                    "dry_run": dry_run,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def authorize_batch(
        self,
        *,
        items: Sequence[AuthorizeBatchItemsItemInput],
        idempotency_key: str | None = None,
    ) -> AuthorizeBatchResponse:
        """Authorize many actions. Up to 1,000 actions. Each item gets its own result, and all of them are
        committed together.
        """
        return await self._call(
            Call[AuthorizeBatchResponse](
                "POST",
                "/v1/vat/authorize/batch",
                body={
                    "items": items,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def evaluate_access(
        self,
        *,
        subject: EvaluateAccessSubjectInput,
        action: EvaluateAccessActionInput,
        resource: EvaluateAccessResourceInput,
        context: EvaluateAccessContextInput | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluateAccessResponse:
        """Evaluate access (AuthZEN). The Access Evaluation API of the OpenID AuthZEN Authorization API 1.0,
        answered by the same rules as `authorize`. For an unknown subject or resource the decision is false, not
        an error. Nothing is stored unless `context.record` is true.
        """
        return await self._call(
            Call[EvaluateAccessResponse](
                "POST",
                "/access/v1/evaluation",
                body={
                    "subject": subject,
                    "action": action,
                    "resource": resource,
                    "context": context,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def evaluate_accesses(
        self,
        *,
        subject: EvaluateAccessSubjectInput | None = None,
        action: EvaluateAccessActionInput | None = None,
        resource: EvaluateAccessResourceInput | None = None,
        context: EvaluateAccessContextInput | None = None,
        evaluations: Sequence[EvaluateAccessesEvaluationsItemInput] | None = None,
        options: EvaluateAccessesOptionsInput | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluateAccessesResponse:
        """Evaluate many accesses (AuthZEN). The Access Evaluations API of the OpenID AuthZEN Authorization API
        1.0. Top-level fields are defaults for each evaluation. Without `evaluations` the call is a single
        evaluation.
        """
        return await self._call(
            Call[EvaluateAccessesResponse](
                "POST",
                "/access/v1/evaluations",
                body={
                    "subject": subject,
                    "action": action,
                    "resource": resource,
                    "context": context,
                    "evaluations": evaluations,
                    "options": options,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def complete_record(
        self,
        id: str,
        *,
        result: str,
        result_hash: str | None = None,
        spend_usd: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Record:
        """Complete a pending record. Closes the record with its outcome and charges the actual spend, or the
        estimate if you leave out `spend_usd`. Repeating the same completion returns the stored record; a
        different one is refused. You can complete a record after its token was revoked; the record is then
        marked.
        """
        return await self._call(
            Call[Record](
                "POST",
                "/v1/vat/aar/{}/complete",
                path_values=(id,),
                body={
                    "result": result,
                    "result_hash": result_hash,
                    "spend_usd": spend_usd,
                    "metadata": metadata,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def cancel_record(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> Record:
        """Cancel a pending record. Abandons the action and releases its reservation."""
        return await self._call(
            Call[Record](
                "POST",
                "/v1/vat/aar/{}/cancel",
                path_values=(id,),
                idempotency_key=idempotency_key,
            )
        )

    async def get_record(
        self,
        id: str,
    ) -> Record:
        """Get an action record."""
        return await self._call(
            Call[Record](
                "GET",
                "/v1/vat/aar/{}",
                path_values=(id,),
            )
        )

    async def list_records(
        self,
        *,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        result: str | None = None,
        rating: Literal["approved", "flagged", "rejected"] | None = None,
        state: Literal["pending", "completed", "cancelled", "expired"] | None = None,
        evidence: Literal["self_reported", "observed", "countersigned"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListRecordsResponse:
        """List action records. Newest first. A page can hold fewer entries than `limit`: continue while `has_more`
        is true.
        """
        return await self._call(
            Call[ListRecordsResponse](
                "GET",
                "/v1/vat/aar",
                query={
                    "agent_id": agent_id,
                    "action": action,
                    "resource": resource,
                    "result": result,
                    "rating": rating,
                    "state": state,
                    "evidence": evidence,
                    "assurance_level": assurance_level,
                    "human_ref": human_ref,
                    "provenance_ref": provenance_ref,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_records(
        self,
        *,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        result: str | None = None,
        rating: Literal["approved", "flagged", "rejected"] | None = None,
        state: Literal["pending", "completed", "cancelled", "expired"] | None = None,
        evidence: Literal["self_reported", "observed", "countersigned"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Record]:
        """Everything that `list_records` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_records(
                agent_id=agent_id,
                action=action,
                resource=resource,
                result=result,
                rating=rating,
                state=state,
                evidence=evidence,
                assurance_level=assurance_level,
                human_ref=human_ref,
                provenance_ref=provenance_ref,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_denial(
        self,
        id: str,
    ) -> Denial:
        """Get a denial."""
        return await self._call(
            Call[Denial](
                "GET",
                "/v1/vat/denials/{}",
                path_values=(id,),
            )
        )

    async def list_denials(
        self,
        *,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        reason: Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListDenialsResponse:
        """List denials. Actions that the rules denied, newest first. A page can hold fewer entries than `limit`:
        continue while `has_more` is true.
        """
        return await self._call(
            Call[ListDenialsResponse](
                "GET",
                "/v1/vat/denials",
                query={
                    "agent_id": agent_id,
                    "action": action,
                    "resource": resource,
                    "reason": reason,
                    "assurance_level": assurance_level,
                    "human_ref": human_ref,
                    "provenance_ref": provenance_ref,
                    "total": total,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_denials(
        self,
        *,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        reason: Literal["token_revoked", "token_suspended", "agent_suspended", "token_expired", "token_not_yet_valid", "record_closed", "action_not_in_scope", "resource_not_in_scope", "argument_not_allowed", "outside_hours", "budget_exceeded", "period_budget_exceeded", "action_limit", "rate_limit", "reputation_too_low", "vouch_score_too_low", "approval_denied", "approval_limit_root", "approval_limit_person", "approval_required"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Denial]:
        """Everything that `list_denials` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_denials(
                agent_id=agent_id,
                action=action,
                resource=resource,
                reason=reason,
                assurance_level=assurance_level,
                human_ref=human_ref,
                provenance_ref=provenance_ref,
                total=total,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return


class _Feedback(Transport):
    """Rate actions."""

    def rate_record(
        self,
        id: str,
        *,
        rating: Literal["approved", "flagged", "rejected"],
        note: str | None = None,
        idempotency_key: str | None = None,
    ) -> RateRecordResponse:
        """Rate an action. Stores how a person rates an action. A rating never changes: a second call returns 409
        with the stored rating.
        """
        return self._call(
            Call[RateRecordResponse](
                "POST",
                "/v1/vat/aar/{}/feedback",
                path_values=(id,),
                body={
                    "rating": rating,
                    "note": note,
                },
                idempotency_key=idempotency_key,
            )
        )


class _AsyncFeedback(AsyncTransport):
    """Rate actions."""

    async def rate_record(
        self,
        id: str,
        *,
        rating: Literal["approved", "flagged", "rejected"],
        note: str | None = None,
        idempotency_key: str | None = None,
    ) -> RateRecordResponse:
        """Rate an action. Stores how a person rates an action. A rating never changes: a second call returns 409
        with the stored rating.
        """
        return await self._call(
            Call[RateRecordResponse](
                "POST",
                "/v1/vat/aar/{}/feedback",
                path_values=(id,),
                body={
                    "rating": rating,
                    "note": note,
                },
                idempotency_key=idempotency_key,
            )
        )


class _Approvals(Transport):
    """Let a person decide before an agent acts."""

    def list_approvals(
        self,
        *,
        state: Literal["pending", "approved", "denied", "expired"] | None = None,
        agent_id: str | None = None,
        reason: Literal["always", "action", "resource", "amount", "review"] | None = None,
        q: str | None = None,
        expand: str | None = None,
        sort: Literal["newest", "expires_first"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListApprovalsResponse:
        """List approvals. Newest first. People see the requests of their agents and those that they are an
        approver of. A page can hold fewer entries than `limit`: continue while `has_more` is true. With
        `sort=expires_first` the response is one page of the newest 1,000 that match.
        """
        return self._call(
            Call[ListApprovalsResponse](
                "GET",
                "/v1/vat/approvals",
                query={
                    "state": state,
                    "agent_id": agent_id,
                    "reason": reason,
                    "q": q,
                    "expand": expand,
                    "sort": sort,
                    "assurance_level": assurance_level,
                    "human_ref": human_ref,
                    "provenance_ref": provenance_ref,
                    "total": total,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_approvals(
        self,
        *,
        state: Literal["pending", "approved", "denied", "expired"] | None = None,
        agent_id: str | None = None,
        reason: Literal["always", "action", "resource", "amount", "review"] | None = None,
        q: str | None = None,
        expand: str | None = None,
        sort: Literal["newest", "expires_first"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> Iterator[ListApprovalsResponseDataItem]:
        """Everything that `list_approvals` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_approvals(
                state=state,
                agent_id=agent_id,
                reason=reason,
                q=q,
                expand=expand,
                sort=sort,
                assurance_level=assurance_level,
                human_ref=human_ref,
                provenance_ref=provenance_ref,
                total=total,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_approval(
        self,
        id: str,
        *,
        wait: int | None = None,
    ) -> Approval:
        """Get an approval, or wait for its decision."""
        return self._call(
            Call[Approval](
                "GET",
                "/v1/vat/approvals/{}",
                path_values=(id,),
                query={
                    "wait": wait,
                },
            )
        )

    def approve(
        self,
        id: str,
        *,
        note: str | None = None,
        grant: ApproveGrantInput | None = None,
        verification_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Approval:
        """Approve an action. Allows exactly what the agent asked for, once. The agent calls authorize again with
        `approval_id`. With `grant`, further requests of the same kind are approved automatically for some time.
        If the token names approvers, the request is approved once enough of them have approved it. A request of
        a revoked token is refused with `token_not_live`.
        """
        return self._call(
            Call[Approval](
                "POST",
                "/v1/vat/approvals/{}/approve",
                path_values=(id,),
                body={
                    "note": note,
                    "grant": grant,
                    "verification_id": verification_id,
                },
                idempotency_key=idempotency_key,
            )
        )

    def deny(
        self,
        id: str,
        *,
        note: str | None = None,
        idempotency_key: str | None = None,
    ) -> Approval:
        """Deny an action. A single denial is enough, even when several people must approve. You can still deny a
        request of a revoked token. For ten minutes the same request is denied without asking again; each
        further denial doubles that time, up to a day.
        """
        return self._call(
            Call[Approval](
                "POST",
                "/v1/vat/approvals/{}/deny",
                path_values=(id,),
                body={
                    "note": note,
                },
                idempotency_key=idempotency_key,
            )
        )

    def decide_approvals(
        self,
        *,
        items: Sequence[DecideApprovalsItemsItemInput],
        idempotency_key: str | None = None,
    ) -> DecideApprovalsResponse:
        """Decide many approvals. Up to 1,000 decisions. Each item gets its own result. An approval that needs a
        face verification can only be given alone, with POST /v1/vat/approvals/{id}/approve.
        """
        return self._call(
            Call[DecideApprovalsResponse](
                "POST",
                "/v1/vat/approvals/batch",
                body={
                    "items": items,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_habits(
        self,
        *,
        agent_id: str | None = None,
        human_ref: str | None = None,
    ) -> ListHabitsResponse:
        """List habits. Repeated approvals of the same root token, agent, action, resource and metadata fields that
        `auto_approve_after` can give automatically. Most used first, at most 200.
        """
        return self._call(
            Call[ListHabitsResponse](
                "GET",
                "/v1/vat/approvals/habits",
                query={
                    "agent_id": agent_id,
                    "human_ref": human_ref,
                },
            )
        )

    def end_habit(
        self,
        *,
        agent_id: str,
        human_ref: str,
        action: str,
        resource: str,
        idempotency_key: str | None = None,
    ) -> EndHabitResponse:
        """End a habit. The next request of this agent, action and resource needs the approval of a person again,
        below every root token. Ends grants of this kind too.
        """
        return self._call(
            Call[EndHabitResponse](
                "POST",
                "/v1/vat/approvals/habits/end",
                body={
                    "agent_id": agent_id,
                    "human_ref": human_ref,
                    "action": action,
                    "resource": resource,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_grants(
        self,
        *,
        agent_id: str | None = None,
        human_ref: str | None = None,
    ) -> ListGrantsResponse:
        """List grants. The grants that are in force, at most 200. A grant ends when the token that it was given
        to, or one above it, is revoked.
        """
        return self._call(
            Call[ListGrantsResponse](
                "GET",
                "/v1/vat/approvals/grants",
                query={
                    "agent_id": agent_id,
                    "human_ref": human_ref,
                },
            )
        )

    def end_grant(
        self,
        *,
        approval_id: str,
        idempotency_key: str | None = None,
    ) -> EndHabitResponse:
        """End a grant. The next request needs the approval of a person again. Takes effect before the response is
        sent.
        """
        return self._call(
            Call[EndHabitResponse](
                "POST",
                "/v1/vat/approvals/grants/end",
                body={
                    "approval_id": approval_id,
                },
                idempotency_key=idempotency_key,
            )
        )


class _AsyncApprovals(AsyncTransport):
    """Let a person decide before an agent acts."""

    async def list_approvals(
        self,
        *,
        state: Literal["pending", "approved", "denied", "expired"] | None = None,
        agent_id: str | None = None,
        reason: Literal["always", "action", "resource", "amount", "review"] | None = None,
        q: str | None = None,
        expand: str | None = None,
        sort: Literal["newest", "expires_first"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListApprovalsResponse:
        """List approvals. Newest first. People see the requests of their agents and those that they are an
        approver of. A page can hold fewer entries than `limit`: continue while `has_more` is true. With
        `sort=expires_first` the response is one page of the newest 1,000 that match.
        """
        return await self._call(
            Call[ListApprovalsResponse](
                "GET",
                "/v1/vat/approvals",
                query={
                    "state": state,
                    "agent_id": agent_id,
                    "reason": reason,
                    "q": q,
                    "expand": expand,
                    "sort": sort,
                    "assurance_level": assurance_level,
                    "human_ref": human_ref,
                    "provenance_ref": provenance_ref,
                    "total": total,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_approvals(
        self,
        *,
        state: Literal["pending", "approved", "denied", "expired"] | None = None,
        agent_id: str | None = None,
        reason: Literal["always", "action", "resource", "amount", "review"] | None = None,
        q: str | None = None,
        expand: str | None = None,
        sort: Literal["newest", "expires_first"] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        human_ref: str | None = None,
        provenance_ref: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[ListApprovalsResponseDataItem]:
        """Everything that `list_approvals` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_approvals(
                state=state,
                agent_id=agent_id,
                reason=reason,
                q=q,
                expand=expand,
                sort=sort,
                assurance_level=assurance_level,
                human_ref=human_ref,
                provenance_ref=provenance_ref,
                total=total,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_approval(
        self,
        id: str,
        *,
        wait: int | None = None,
    ) -> Approval:
        """Get an approval, or wait for its decision."""
        return await self._call(
            Call[Approval](
                "GET",
                "/v1/vat/approvals/{}",
                path_values=(id,),
                query={
                    "wait": wait,
                },
            )
        )

    async def approve(
        self,
        id: str,
        *,
        note: str | None = None,
        grant: ApproveGrantInput | None = None,
        verification_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Approval:
        """Approve an action. Allows exactly what the agent asked for, once. The agent calls authorize again with
        `approval_id`. With `grant`, further requests of the same kind are approved automatically for some time.
        If the token names approvers, the request is approved once enough of them have approved it. A request of
        a revoked token is refused with `token_not_live`.
        """
        return await self._call(
            Call[Approval](
                "POST",
                "/v1/vat/approvals/{}/approve",
                path_values=(id,),
                body={
                    "note": note,
                    "grant": grant,
                    "verification_id": verification_id,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def deny(
        self,
        id: str,
        *,
        note: str | None = None,
        idempotency_key: str | None = None,
    ) -> Approval:
        """Deny an action. A single denial is enough, even when several people must approve. You can still deny a
        request of a revoked token. For ten minutes the same request is denied without asking again; each
        further denial doubles that time, up to a day.
        """
        return await self._call(
            Call[Approval](
                "POST",
                "/v1/vat/approvals/{}/deny",
                path_values=(id,),
                body={
                    "note": note,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def decide_approvals(
        self,
        *,
        items: Sequence[DecideApprovalsItemsItemInput],
        idempotency_key: str | None = None,
    ) -> DecideApprovalsResponse:
        """Decide many approvals. Up to 1,000 decisions. Each item gets its own result. An approval that needs a
        face verification can only be given alone, with POST /v1/vat/approvals/{id}/approve.
        """
        return await self._call(
            Call[DecideApprovalsResponse](
                "POST",
                "/v1/vat/approvals/batch",
                body={
                    "items": items,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_habits(
        self,
        *,
        agent_id: str | None = None,
        human_ref: str | None = None,
    ) -> ListHabitsResponse:
        """List habits. Repeated approvals of the same root token, agent, action, resource and metadata fields that
        `auto_approve_after` can give automatically. Most used first, at most 200.
        """
        return await self._call(
            Call[ListHabitsResponse](
                "GET",
                "/v1/vat/approvals/habits",
                query={
                    "agent_id": agent_id,
                    "human_ref": human_ref,
                },
            )
        )

    async def end_habit(
        self,
        *,
        agent_id: str,
        human_ref: str,
        action: str,
        resource: str,
        idempotency_key: str | None = None,
    ) -> EndHabitResponse:
        """End a habit. The next request of this agent, action and resource needs the approval of a person again,
        below every root token. Ends grants of this kind too.
        """
        return await self._call(
            Call[EndHabitResponse](
                "POST",
                "/v1/vat/approvals/habits/end",
                body={
                    "agent_id": agent_id,
                    "human_ref": human_ref,
                    "action": action,
                    "resource": resource,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_grants(
        self,
        *,
        agent_id: str | None = None,
        human_ref: str | None = None,
    ) -> ListGrantsResponse:
        """List grants. The grants that are in force, at most 200. A grant ends when the token that it was given
        to, or one above it, is revoked.
        """
        return await self._call(
            Call[ListGrantsResponse](
                "GET",
                "/v1/vat/approvals/grants",
                query={
                    "agent_id": agent_id,
                    "human_ref": human_ref,
                },
            )
        )

    async def end_grant(
        self,
        *,
        approval_id: str,
        idempotency_key: str | None = None,
    ) -> EndHabitResponse:
        """End a grant. The next request needs the approval of a person again. Takes effect before the response is
        sent.
        """
        return await self._call(
            Call[EndHabitResponse](
                "POST",
                "/v1/vat/approvals/grants/end",
                body={
                    "approval_id": approval_id,
                },
                idempotency_key=idempotency_key,
            )
        )


class _Agents(Transport):
    """Register and suspend agents."""

    def register_agent(
        self,
        *,
        agent_id: str,
        display_name: str | None = None,
        owner: str | None = None,
        model: str | None = None,
        url: str | None = None,
        owned_by: Sequence[str] | None = None,
        add_keys: Sequence[Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> Agent:
        """Register an agent. Adds a profile to an agent, and keys. Agents exist from their first token on, so
        registering is optional. In keyed mode you become the owner of an agent that has none. Registering again
        sets the fields that you send.
        """
        return self._call(
            Call[Agent](
                "POST",
                "/v1/vat/agents",
                body={
                    "agent_id": agent_id,
                    "display_name": display_name,
                    "owner": owner,
                    "model": model,
                    "url": url,
                    "owned_by": owned_by,
                    "add_keys": add_keys,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_agents(
        self,
        *,
        status: Literal["active", "suspended"] | None = None,
        agent_ids: str | None = None,
        q: str | None = None,
        sort: Literal["newest", "name", "last_action", "actions", "reputation"] | None = None,
        expand: Literal["activity"] | None = None,
        total: Literal["1", "true"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAgentsResponse:
        """List agents. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is
        true. Another `sort` returns one page of the newest 1,000 agents that match.
        """
        return self._call(
            Call[ListAgentsResponse](
                "GET",
                "/v1/vat/agents",
                query={
                    "status": status,
                    "agent_ids": agent_ids,
                    "q": q,
                    "sort": sort,
                    "expand": expand,
                    "total": total,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_agents(
        self,
        *,
        status: Literal["active", "suspended"] | None = None,
        agent_ids: str | None = None,
        q: str | None = None,
        sort: Literal["newest", "name", "last_action", "actions", "reputation"] | None = None,
        expand: Literal["activity"] | None = None,
        total: Literal["1", "true"] | None = None,
        limit: int | None = None,
    ) -> Iterator[Agent]:
        """Everything that `list_agents` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_agents(
                status=status,
                agent_ids=agent_ids,
                q=q,
                sort=sort,
                expand=expand,
                total=total,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_agent(
        self,
        agent_id: str,
    ) -> Agent:
        """Get an agent."""
        return self._call(
            Call[Agent](
                "GET",
                "/v1/vat/agents/{}",
                path_values=(agent_id,),
            )
        )

    def update_agent(
        self,
        agent_id: str,
        *,
        display_name: str | None | Unset = UNSET,
        owner: str | None | Unset = UNSET,
        model: str | None | Unset = UNSET,
        url: str | None | Unset = UNSET,
        owned_by: Sequence[str] | Unset = UNSET,
        add_keys: Sequence[Mapping[str, Any]] | Unset = UNSET,
        remove_keys: Sequence[str] | Unset = UNSET,
    ) -> Agent:
        """Update the profile of an agent. Sets the fields that you send. Null removes a field; fields that you
        leave out do not change. In keyed mode only an owner of the agent or an operator may do this. To rotate
        a key, add the new one, then remove the old one.
        """
        return self._call(
            Call[Agent](
                "PATCH",
                "/v1/vat/agents/{}",
                path_values=(agent_id,),
                body={
                    "display_name": display_name,
                    "owner": owner,
                    "model": model,
                    "url": url,
                    "owned_by": owned_by,
                    "add_keys": add_keys,
                    "remove_keys": remove_keys,
                },
                keeps_null=True,
            )
        )

    def suspend_agent(
        self,
        agent_id: str,
        *,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Agent:
        """Suspend an agent. Freezes every token of the agent and every token delegated from those, until it is
        resumed by a caller of your rank or a higher one. A suspended agent gets no new tokens. Every agent that
        shares a key with this one is suspended too, because a key is one program, whatever its name. Resume
        each of them separately.
        """
        return self._call(
            Call[Agent](
                "POST",
                "/v1/vat/agents/{}/suspend",
                path_values=(agent_id,),
                body={
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    def resume_agent(
        self,
        agent_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> Agent:
        """Resume a suspended agent. Needs the rank of the caller who suspended the agent, or a higher one."""
        return self._call(
            Call[Agent](
                "POST",
                "/v1/vat/agents/{}/resume",
                path_values=(agent_id,),
                idempotency_key=idempotency_key,
            )
        )


class _AsyncAgents(AsyncTransport):
    """Register and suspend agents."""

    async def register_agent(
        self,
        *,
        agent_id: str,
        display_name: str | None = None,
        owner: str | None = None,
        model: str | None = None,
        url: str | None = None,
        owned_by: Sequence[str] | None = None,
        add_keys: Sequence[Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> Agent:
        """Register an agent. Adds a profile to an agent, and keys. Agents exist from their first token on, so
        registering is optional. In keyed mode you become the owner of an agent that has none. Registering again
        sets the fields that you send.
        """
        return await self._call(
            Call[Agent](
                "POST",
                "/v1/vat/agents",
                body={
                    "agent_id": agent_id,
                    "display_name": display_name,
                    "owner": owner,
                    "model": model,
                    "url": url,
                    "owned_by": owned_by,
                    "add_keys": add_keys,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_agents(
        self,
        *,
        status: Literal["active", "suspended"] | None = None,
        agent_ids: str | None = None,
        q: str | None = None,
        sort: Literal["newest", "name", "last_action", "actions", "reputation"] | None = None,
        expand: Literal["activity"] | None = None,
        total: Literal["1", "true"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAgentsResponse:
        """List agents. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is
        true. Another `sort` returns one page of the newest 1,000 agents that match.
        """
        return await self._call(
            Call[ListAgentsResponse](
                "GET",
                "/v1/vat/agents",
                query={
                    "status": status,
                    "agent_ids": agent_ids,
                    "q": q,
                    "sort": sort,
                    "expand": expand,
                    "total": total,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_agents(
        self,
        *,
        status: Literal["active", "suspended"] | None = None,
        agent_ids: str | None = None,
        q: str | None = None,
        sort: Literal["newest", "name", "last_action", "actions", "reputation"] | None = None,
        expand: Literal["activity"] | None = None,
        total: Literal["1", "true"] | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Agent]:
        """Everything that `list_agents` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_agents(
                status=status,
                agent_ids=agent_ids,
                q=q,
                sort=sort,
                expand=expand,
                total=total,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_agent(
        self,
        agent_id: str,
    ) -> Agent:
        """Get an agent."""
        return await self._call(
            Call[Agent](
                "GET",
                "/v1/vat/agents/{}",
                path_values=(agent_id,),
            )
        )

    async def update_agent(
        self,
        agent_id: str,
        *,
        display_name: str | None | Unset = UNSET,
        owner: str | None | Unset = UNSET,
        model: str | None | Unset = UNSET,
        url: str | None | Unset = UNSET,
        owned_by: Sequence[str] | Unset = UNSET,
        add_keys: Sequence[Mapping[str, Any]] | Unset = UNSET,
        remove_keys: Sequence[str] | Unset = UNSET,
    ) -> Agent:
        """Update the profile of an agent. Sets the fields that you send. Null removes a field; fields that you
        leave out do not change. In keyed mode only an owner of the agent or an operator may do this. To rotate
        a key, add the new one, then remove the old one.
        """
        return await self._call(
            Call[Agent](
                "PATCH",
                "/v1/vat/agents/{}",
                path_values=(agent_id,),
                body={
                    "display_name": display_name,
                    "owner": owner,
                    "model": model,
                    "url": url,
                    "owned_by": owned_by,
                    "add_keys": add_keys,
                    "remove_keys": remove_keys,
                },
                keeps_null=True,
            )
        )

    async def suspend_agent(
        self,
        agent_id: str,
        *,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Agent:
        """Suspend an agent. Freezes every token of the agent and every token delegated from those, until it is
        resumed by a caller of your rank or a higher one. A suspended agent gets no new tokens. Every agent that
        shares a key with this one is suspended too, because a key is one program, whatever its name. Resume
        each of them separately.
        """
        return await self._call(
            Call[Agent](
                "POST",
                "/v1/vat/agents/{}/suspend",
                path_values=(agent_id,),
                body={
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def resume_agent(
        self,
        agent_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> Agent:
        """Resume a suspended agent. Needs the rank of the caller who suspended the agent, or a higher one."""
        return await self._call(
            Call[Agent](
                "POST",
                "/v1/vat/agents/{}/resume",
                path_values=(agent_id,),
                idempotency_key=idempotency_key,
            )
        )


class _Reputation(Transport):
    """How well agents have done."""

    def get_reputation(
        self,
        agent_id: str,
    ) -> Reputation:
        """Get the reputation of an agent. Computed from recorded outcomes (60 %) and ratings (40 %)."""
        return self._call(
            Call[Reputation](
                "GET",
                "/v1/vat/reputation/{}",
                path_values=(agent_id,),
            )
        )

    def get_reputation_history(
        self,
        agent_id: str,
        *,
        bucket: Literal["day"] | None = None,
    ) -> GetReputationHistoryResponse:
        """Get the reputation of an agent over time. One entry for each day with activity, oldest first, at most
        366. Scores cover that day alone, except `combined_reputation` and its interval.
        """
        return self._call(
            Call[GetReputationHistoryResponse](
                "GET",
                "/v1/vat/reputation/{}/history",
                path_values=(agent_id,),
                query={
                    "bucket": bucket,
                },
            )
        )

    def rank_agents(
        self,
        *,
        sort: Literal["combined", "lower_bound"] | None = None,
        limit: int | None = None,
    ) -> RankAgentsResponse:
        """Rank agents by reputation. The best agents, at most 200."""
        return self._call(
            Call[RankAgentsResponse](
                "GET",
                "/v1/vat/reputation",
                query={
                    "sort": sort,
                    "limit": limit,
                },
            )
        )


class _AsyncReputation(AsyncTransport):
    """How well agents have done."""

    async def get_reputation(
        self,
        agent_id: str,
    ) -> Reputation:
        """Get the reputation of an agent. Computed from recorded outcomes (60 %) and ratings (40 %)."""
        return await self._call(
            Call[Reputation](
                "GET",
                "/v1/vat/reputation/{}",
                path_values=(agent_id,),
            )
        )

    async def get_reputation_history(
        self,
        agent_id: str,
        *,
        bucket: Literal["day"] | None = None,
    ) -> GetReputationHistoryResponse:
        """Get the reputation of an agent over time. One entry for each day with activity, oldest first, at most
        366. Scores cover that day alone, except `combined_reputation` and its interval.
        """
        return await self._call(
            Call[GetReputationHistoryResponse](
                "GET",
                "/v1/vat/reputation/{}/history",
                path_values=(agent_id,),
                query={
                    "bucket": bucket,
                },
            )
        )

    async def rank_agents(
        self,
        *,
        sort: Literal["combined", "lower_bound"] | None = None,
        limit: int | None = None,
    ) -> RankAgentsResponse:
        """Rank agents by reputation. The best agents, at most 200."""
        return await self._call(
            Call[RankAgentsResponse](
                "GET",
                "/v1/vat/reputation",
                query={
                    "sort": sort,
                    "limit": limit,
                },
            )
        )


class _Trust(Transport):
    """Vouch for people and agents, and see how far the trust of verified people reaches."""

    def vouch(
        self,
        *,
        to: str,
        from_: str | None = None,
        weight: float | None = None,
        context: str | None = None,
        note: str | None = None,
        expires_at: str | None = None,
        idempotency_key: str | None = None,
    ) -> VouchResponse:
        """Vouch for a person or an agent. Only people can vouch, and only in their own name: in keyed mode with
        their own session. You cannot vouch for yourself or for agents that act or acted in your name (403
        `cannot_vouch`), nor twice for the same subject and context (409 `vouch_exists`, with the first vouch).
        """
        return self._call(
            Call[VouchResponse](
                "POST",
                "/v1/vat/trust/vouches",
                body={
                    "from": from_,
                    "to": to,
                    "weight": weight,
                    "context": context,
                    "note": note,
                    "expires_at": expires_at,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_vouches(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        context: str | None = None,
        standing: Literal["true"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListVouchesResponse:
        """List vouches. Newest first. A person sees the vouches that they made, and with `to` those for
        themselves.
        """
        return self._call(
            Call[ListVouchesResponse](
                "GET",
                "/v1/vat/trust/vouches",
                query={
                    "from": from_,
                    "to": to,
                    "context": context,
                    "standing": standing,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_vouches(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        context: str | None = None,
        standing: Literal["true"] | None = None,
        limit: int | None = None,
    ) -> Iterator[VouchResponse]:
        """Everything that `list_vouches` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_vouches(
                from_=from_,
                to=to,
                context=context,
                standing=standing,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_vouch(
        self,
        vouch_id: str,
    ) -> VouchResponse:
        """Get a vouch."""
        return self._call(
            Call[VouchResponse](
                "GET",
                "/v1/vat/trust/vouches/{}",
                path_values=(vouch_id,),
            )
        )

    def update_vouch(
        self,
        vouch_id: str,
        *,
        weight: float | Unset = UNSET,
        expires_at: str | None | Unset = UNSET,
    ) -> VouchResponse:
        """Change a vouch. Changes the weight or the end of a vouch that counts. Fields that you leave out do not
        change. Only the person who vouches can do this. The old weight stays in the log.
        """
        return self._call(
            Call[VouchResponse](
                "PATCH",
                "/v1/vat/trust/vouches/{}",
                path_values=(vouch_id,),
                body={
                    "weight": weight,
                    "expires_at": expires_at,
                },
                keeps_null=True,
            )
        )

    def withdraw_vouch(
        self,
        vouch_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> VouchResponse:
        """Withdraw a vouch. Ends a vouch immediately and permanently, and never asks for a passkey. The person who
        vouches can do this, and an operator. Withdrawing it again changes nothing. Ratings that the agent got
        while the vouch counted stay with the person.
        """
        return self._call(
            Call[VouchResponse](
                "POST",
                "/v1/vat/trust/vouches/{}/withdraw",
                path_values=(vouch_id,),
                idempotency_key=idempotency_key,
            )
        )

    def get_vouch_score(
        self,
        subject: str,
        *,
        context: str | None = None,
        as_: str | None = None,
        at: int | None = None,
        explain: Literal["1", "true"] | None = None,
    ) -> GetVouchScoreResponse:
        """Get the score of a person or an agent. How much of the trust in verified people reaches the subject: a
        maximum flow along vouches, on paths of at most 5. Made-up accounts add nothing to it. With `explain`,
        the response names the paths that carry the flow and what limits it; both add up to the flow, which the
        service checks before it answers. Agents and resource servers get neither `explain` nor `as`, which show
        who vouches for whom; people see the names of their own vouches, and `as` takes their own ref. Computed
        from the log: `deputy verify --trust` computes the same number.
        """
        return self._call(
            Call[GetVouchScoreResponse](
                "GET",
                "/v1/vat/trust/scores/{}",
                path_values=(subject,),
                query={
                    "context": context,
                    "as": as_,
                    "at": at,
                    "explain": explain,
                },
            )
        )

    def find_trust_paths(
        self,
        *,
        from_: str,
        to: str,
        context: str | None = None,
    ) -> FindTrustPathsResponse:
        """Find the paths from a person to a subject. The paths along which the trust in one person reaches the
        subject, the widest first. People can only ask for paths from themselves.
        """
        return self._call(
            Call[FindTrustPathsResponse](
                "GET",
                "/v1/vat/trust/paths",
                query={
                    "from": from_,
                    "to": to,
                    "context": context,
                },
            )
        )

    def get_trust_graph(
        self,
        *,
        around: str,
        depth: int | None = None,
    ) -> GetTrustGraphResponse:
        """Get the vouches around a person or an agent. People, agents and standing vouches within a number of
        steps, in both directions, for drawing. People see the vouches that they gave or got, and those for an
        agent that they own.
        """
        return self._call(
            Call[GetTrustGraphResponse](
                "GET",
                "/v1/vat/trust/graph",
                query={
                    "around": around,
                    "depth": depth,
                },
            )
        )

    def rank_by_vouches(
        self,
        *,
        context: str | None = None,
        limit: int | None = None,
    ) -> RankByVouchesResponse:
        """Rank agents by their score. Agents that someone vouches for, the highest score first. Computed in the
        background: `as_of` is the state of the log it was computed from.
        """
        return self._call(
            Call[RankByVouchesResponse](
                "GET",
                "/v1/vat/trust/ranking",
                query={
                    "context": context,
                    "limit": limit,
                },
            )
        )

    def name_anchor(
        self,
        human_ref: str,
        *,
        base: float,
        reason: str,
    ) -> NameAnchorResponse:
        """Name a person as an anchor. Scores begin at anchors: people who are verified at L2 or L3, and those that
        an operator names. Naming a person again sets another base. The log contains the base and a digest of
        the reason.
        """
        return self._call(
            Call[NameAnchorResponse](
                "PUT",
                "/v1/vat/trust/anchors/{}",
                path_values=(human_ref,),
                body={
                    "base": base,
                    "reason": reason,
                },
            )
        )

    def remove_anchor(
        self,
        human_ref: str,
    ) -> RemoveAnchorResponse:
        """Remove an anchor that an operator named. The person then counts only by their verification. To exclude a
        verified person, name them with base 0. Removing an anchor that is not there changes nothing.
        """
        return self._call(
            Call[RemoveAnchorResponse](
                "DELETE",
                "/v1/vat/trust/anchors/{}",
                path_values=(human_ref,),
            )
        )

    def list_anchors(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAnchorsResponse:
        """List the anchors that operators named. Newest first. Verified people are anchors without being listed
        here.
        """
        return self._call(
            Call[ListAnchorsResponse](
                "GET",
                "/v1/vat/trust/anchors",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_anchors(
        self,
        *,
        limit: int | None = None,
    ) -> Iterator[NameAnchorResponse]:
        """Everything that `list_anchors` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_anchors(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return


class _AsyncTrust(AsyncTransport):
    """Vouch for people and agents, and see how far the trust of verified people reaches."""

    async def vouch(
        self,
        *,
        to: str,
        from_: str | None = None,
        weight: float | None = None,
        context: str | None = None,
        note: str | None = None,
        expires_at: str | None = None,
        idempotency_key: str | None = None,
    ) -> VouchResponse:
        """Vouch for a person or an agent. Only people can vouch, and only in their own name: in keyed mode with
        their own session. You cannot vouch for yourself or for agents that act or acted in your name (403
        `cannot_vouch`), nor twice for the same subject and context (409 `vouch_exists`, with the first vouch).
        """
        return await self._call(
            Call[VouchResponse](
                "POST",
                "/v1/vat/trust/vouches",
                body={
                    "from": from_,
                    "to": to,
                    "weight": weight,
                    "context": context,
                    "note": note,
                    "expires_at": expires_at,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_vouches(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        context: str | None = None,
        standing: Literal["true"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListVouchesResponse:
        """List vouches. Newest first. A person sees the vouches that they made, and with `to` those for
        themselves.
        """
        return await self._call(
            Call[ListVouchesResponse](
                "GET",
                "/v1/vat/trust/vouches",
                query={
                    "from": from_,
                    "to": to,
                    "context": context,
                    "standing": standing,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_vouches(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        context: str | None = None,
        standing: Literal["true"] | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[VouchResponse]:
        """Everything that `list_vouches` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_vouches(
                from_=from_,
                to=to,
                context=context,
                standing=standing,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_vouch(
        self,
        vouch_id: str,
    ) -> VouchResponse:
        """Get a vouch."""
        return await self._call(
            Call[VouchResponse](
                "GET",
                "/v1/vat/trust/vouches/{}",
                path_values=(vouch_id,),
            )
        )

    async def update_vouch(
        self,
        vouch_id: str,
        *,
        weight: float | Unset = UNSET,
        expires_at: str | None | Unset = UNSET,
    ) -> VouchResponse:
        """Change a vouch. Changes the weight or the end of a vouch that counts. Fields that you leave out do not
        change. Only the person who vouches can do this. The old weight stays in the log.
        """
        return await self._call(
            Call[VouchResponse](
                "PATCH",
                "/v1/vat/trust/vouches/{}",
                path_values=(vouch_id,),
                body={
                    "weight": weight,
                    "expires_at": expires_at,
                },
                keeps_null=True,
            )
        )

    async def withdraw_vouch(
        self,
        vouch_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> VouchResponse:
        """Withdraw a vouch. Ends a vouch immediately and permanently, and never asks for a passkey. The person who
        vouches can do this, and an operator. Withdrawing it again changes nothing. Ratings that the agent got
        while the vouch counted stay with the person.
        """
        return await self._call(
            Call[VouchResponse](
                "POST",
                "/v1/vat/trust/vouches/{}/withdraw",
                path_values=(vouch_id,),
                idempotency_key=idempotency_key,
            )
        )

    async def get_vouch_score(
        self,
        subject: str,
        *,
        context: str | None = None,
        as_: str | None = None,
        at: int | None = None,
        explain: Literal["1", "true"] | None = None,
    ) -> GetVouchScoreResponse:
        """Get the score of a person or an agent. How much of the trust in verified people reaches the subject: a
        maximum flow along vouches, on paths of at most 5. Made-up accounts add nothing to it. With `explain`,
        the response names the paths that carry the flow and what limits it; both add up to the flow, which the
        service checks before it answers. Agents and resource servers get neither `explain` nor `as`, which show
        who vouches for whom; people see the names of their own vouches, and `as` takes their own ref. Computed
        from the log: `deputy verify --trust` computes the same number.
        """
        return await self._call(
            Call[GetVouchScoreResponse](
                "GET",
                "/v1/vat/trust/scores/{}",
                path_values=(subject,),
                query={
                    "context": context,
                    "as": as_,
                    "at": at,
                    "explain": explain,
                },
            )
        )

    async def find_trust_paths(
        self,
        *,
        from_: str,
        to: str,
        context: str | None = None,
    ) -> FindTrustPathsResponse:
        """Find the paths from a person to a subject. The paths along which the trust in one person reaches the
        subject, the widest first. People can only ask for paths from themselves.
        """
        return await self._call(
            Call[FindTrustPathsResponse](
                "GET",
                "/v1/vat/trust/paths",
                query={
                    "from": from_,
                    "to": to,
                    "context": context,
                },
            )
        )

    async def get_trust_graph(
        self,
        *,
        around: str,
        depth: int | None = None,
    ) -> GetTrustGraphResponse:
        """Get the vouches around a person or an agent. People, agents and standing vouches within a number of
        steps, in both directions, for drawing. People see the vouches that they gave or got, and those for an
        agent that they own.
        """
        return await self._call(
            Call[GetTrustGraphResponse](
                "GET",
                "/v1/vat/trust/graph",
                query={
                    "around": around,
                    "depth": depth,
                },
            )
        )

    async def rank_by_vouches(
        self,
        *,
        context: str | None = None,
        limit: int | None = None,
    ) -> RankByVouchesResponse:
        """Rank agents by their score. Agents that someone vouches for, the highest score first. Computed in the
        background: `as_of` is the state of the log it was computed from.
        """
        return await self._call(
            Call[RankByVouchesResponse](
                "GET",
                "/v1/vat/trust/ranking",
                query={
                    "context": context,
                    "limit": limit,
                },
            )
        )

    async def name_anchor(
        self,
        human_ref: str,
        *,
        base: float,
        reason: str,
    ) -> NameAnchorResponse:
        """Name a person as an anchor. Scores begin at anchors: people who are verified at L2 or L3, and those that
        an operator names. Naming a person again sets another base. The log contains the base and a digest of
        the reason.
        """
        return await self._call(
            Call[NameAnchorResponse](
                "PUT",
                "/v1/vat/trust/anchors/{}",
                path_values=(human_ref,),
                body={
                    "base": base,
                    "reason": reason,
                },
            )
        )

    async def remove_anchor(
        self,
        human_ref: str,
    ) -> RemoveAnchorResponse:
        """Remove an anchor that an operator named. The person then counts only by their verification. To exclude a
        verified person, name them with base 0. Removing an anchor that is not there changes nothing.
        """
        return await self._call(
            Call[RemoveAnchorResponse](
                "DELETE",
                "/v1/vat/trust/anchors/{}",
                path_values=(human_ref,),
            )
        )

    async def list_anchors(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAnchorsResponse:
        """List the anchors that operators named. Newest first. Verified people are anchors without being listed
        here.
        """
        return await self._call(
            Call[ListAnchorsResponse](
                "GET",
                "/v1/vat/trust/anchors",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_anchors(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncIterator[NameAnchorResponse]:
        """Everything that `list_anchors` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_anchors(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return


class _Stats(Transport):
    """Counts over time: actions, denials, spend and approvals."""

    def get_stats(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        bucket: Literal["minute", "hour", "day", "all"] | None = None,
        group_by: Literal["agent", "action", "resource", "action,resource", "reason", "tenant"] | None = None,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        limit: int | None = None,
    ) -> GetStatsResponse:
        """Count actions, denials, spend and approvals. Counts over time, for one tenant. Counters are written in
        the commit that they count, so a response is never behind. It reads at most 20,000 counters, however
        many records there are. A query that needs more is refused with a hint on how to narrow it. Buckets
        begin at full minutes, hours and days in UTC; those without activity are left out. Minutes are kept for
        7 days and only for the whole tenant. A denial with several reasons counts once for each with
        `group_by=reason`, and once otherwise. People cannot make this call: they see their own records and
        approvals.
        """
        return self._call(
            Call[GetStatsResponse](
                "GET",
                "/v1/vat/stats",
                query={
                    "from": from_,
                    "to": to,
                    "bucket": bucket,
                    "group_by": group_by,
                    "agent_id": agent_id,
                    "action": action,
                    "resource": resource,
                    "limit": limit,
                },
            )
        )


class _AsyncStats(AsyncTransport):
    """Counts over time: actions, denials, spend and approvals."""

    async def get_stats(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        bucket: Literal["minute", "hour", "day", "all"] | None = None,
        group_by: Literal["agent", "action", "resource", "action,resource", "reason", "tenant"] | None = None,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        limit: int | None = None,
    ) -> GetStatsResponse:
        """Count actions, denials, spend and approvals. Counts over time, for one tenant. Counters are written in
        the commit that they count, so a response is never behind. It reads at most 20,000 counters, however
        many records there are. A query that needs more is refused with a hint on how to narrow it. Buckets
        begin at full minutes, hours and days in UTC; those without activity are left out. Minutes are kept for
        7 days and only for the whole tenant. A denial with several reasons counts once for each with
        `group_by=reason`, and once otherwise. People cannot make this call: they see their own records and
        approvals.
        """
        return await self._call(
            Call[GetStatsResponse](
                "GET",
                "/v1/vat/stats",
                query={
                    "from": from_,
                    "to": to,
                    "bucket": bucket,
                    "group_by": group_by,
                    "agent_id": agent_id,
                    "action": action,
                    "resource": resource,
                    "limit": limit,
                },
            )
        )


class _Webhooks(Transport):
    """Send events to your own services."""

    def create_webhook(
        self,
        *,
        url: str,
        description: str | None = None,
        events: Sequence[Literal["*"] | EventType] | None = None,
        format: Literal["deputy", "cloudevents", "ocsf"] | None = None,
        agent_id: str | None = None,
        provenance_ref: str | None = None,
        signature: Literal["v1", "v1a"] | None = None,
        idempotency_key: str | None = None,
    ) -> CreateWebhookResponse:
        """Create a webhook. Sends events from now on to a URL of yours, signed by the Standard Webhooks
        specification: at least once, and in order for each workflow. The webhook sees what your role may see.
        The secret is shown only in this response. A tenant has at most 100 webhooks.
        """
        return self._call(
            Call[CreateWebhookResponse](
                "POST",
                "/v1/vat/webhooks",
                body={
                    "url": url,
                    "description": description,
                    "events": events,
                    "format": format,
                    "agent_id": agent_id,
                    "provenance_ref": provenance_ref,
                    "signature": signature,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListWebhooksResponse:
        """List webhooks. The webhooks of your tenant, the newest change first."""
        return self._call(
            Call[ListWebhooksResponse](
                "GET",
                "/v1/vat/webhooks",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_webhooks(
        self,
        *,
        limit: int | None = None,
    ) -> Iterator[GetWebhookResponse]:
        """Everything that `list_webhooks` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_webhooks(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_webhook(
        self,
        webhook_id: str,
    ) -> GetWebhookResponse:
        """Get a webhook."""
        return self._call(
            Call[GetWebhookResponse](
                "GET",
                "/v1/vat/webhooks/{}",
                path_values=(webhook_id,),
            )
        )

    def update_webhook(
        self,
        webhook_id: str,
        *,
        url: str | Unset = UNSET,
        description: str | None | Unset = UNSET,
        events: Sequence[Literal["*"] | EventType] | Unset = UNSET,
        format: Literal["deputy", "cloudevents", "ocsf"] | Unset = UNSET,
    ) -> GetWebhookResponse:
        """Update a webhook. Sets the fields that you send. Events waiting to be retried go to the new URL. Only an
        operator can update the webhook of an operator.
        """
        return self._call(
            Call[GetWebhookResponse](
                "PATCH",
                "/v1/vat/webhooks/{}",
                path_values=(webhook_id,),
                body={
                    "url": url,
                    "description": description,
                    "events": events,
                    "format": format,
                },
                keeps_null=True,
            )
        )

    def delete_webhook(
        self,
        webhook_id: str,
    ) -> DeleteWebhookResponse:
        """Delete a webhook. Nothing more is sent, except attempts in progress. Other nodes follow within seconds.
        Its deliveries are deleted too.
        """
        return self._call(
            Call[DeleteWebhookResponse](
                "DELETE",
                "/v1/vat/webhooks/{}",
                path_values=(webhook_id,),
            )
        )

    def rotate_webhook_secret(
        self,
        webhook_id: str,
        *,
        overlap_s: int | None = None,
        idempotency_key: str | None = None,
    ) -> CreateWebhookResponse:
        """Replace the key of a webhook. For `overlap_s` seconds messages carry a signature of the old key and one
        of the new. A receiver accepts a message if one of them is valid.
        """
        return self._call(
            Call[CreateWebhookResponse](
                "POST",
                "/v1/vat/webhooks/{}/rotate-secret",
                path_values=(webhook_id,),
                body={
                    "overlap_s": overlap_s,
                },
                idempotency_key=idempotency_key,
            )
        )

    def enable_webhook(
        self,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> GetWebhookResponse:
        """Enable a webhook again. A disabled webhook continues where it stopped, so nothing is lost. Waiting
        events are sent immediately, even if the webhook is already enabled.
        """
        return self._call(
            Call[GetWebhookResponse](
                "POST",
                "/v1/vat/webhooks/{}/enable",
                path_values=(webhook_id,),
                idempotency_key=idempotency_key,
            )
        )

    def test_webhook(
        self,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> TestWebhookResponse:
        """Send a test event now. Sends one event of type webhook.test and returns the result. The event is not
        retried and not listed with the deliveries.
        """
        return self._call(
            Call[TestWebhookResponse](
                "POST",
                "/v1/vat/webhooks/{}/test",
                path_values=(webhook_id,),
                idempotency_key=idempotency_key,
            )
        )

    def list_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        state: Literal["waiting", "delivered", "failed"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListWebhookDeliveriesResponse:
        """List the deliveries of a webhook. Newest event first. Deliveries are kept for 7 days, at most the newest
        100,000.
        """
        return self._call(
            Call[ListWebhookDeliveriesResponse](
                "GET",
                "/v1/vat/webhooks/{}/deliveries",
                path_values=(webhook_id,),
                query={
                    "state": state,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        state: Literal["waiting", "delivered", "failed"] | None = None,
        limit: int | None = None,
    ) -> Iterator[RetryWebhookDeliveryResponse]:
        """Everything that `list_webhook_deliveries` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_webhook_deliveries(
                webhook_id,
                state=state,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def retry_webhook_delivery(
        self,
        webhook_id: str,
        event_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> RetryWebhookDeliveryResponse:
        """Send an event again. Sends the event as soon as possible, with the same webhook-id, and before later
        events of its workflow.
        """
        return self._call(
            Call[RetryWebhookDeliveryResponse](
                "POST",
                "/v1/vat/webhooks/{}/deliveries/{}/retry",
                path_values=(webhook_id, event_id,),
                idempotency_key=idempotency_key,
            )
        )

    def replay_webhook(
        self,
        webhook_id: str,
        *,
        from_index: int,
        idempotency_key: str | None = None,
    ) -> GetWebhookResponse:
        """Send all events from a log index on again. Each event keeps its webhook-id, so a receiver that drops
        repeated IDs processes only those that it missed. An index before the webhook was created sends older
        events too, as far as you may see them.
        """
        return self._call(
            Call[GetWebhookResponse](
                "POST",
                "/v1/vat/webhooks/{}/replay",
                path_values=(webhook_id,),
                body={
                    "from_index": from_index,
                },
                idempotency_key=idempotency_key,
            )
        )


class _AsyncWebhooks(AsyncTransport):
    """Send events to your own services."""

    async def create_webhook(
        self,
        *,
        url: str,
        description: str | None = None,
        events: Sequence[Literal["*"] | EventType] | None = None,
        format: Literal["deputy", "cloudevents", "ocsf"] | None = None,
        agent_id: str | None = None,
        provenance_ref: str | None = None,
        signature: Literal["v1", "v1a"] | None = None,
        idempotency_key: str | None = None,
    ) -> CreateWebhookResponse:
        """Create a webhook. Sends events from now on to a URL of yours, signed by the Standard Webhooks
        specification: at least once, and in order for each workflow. The webhook sees what your role may see.
        The secret is shown only in this response. A tenant has at most 100 webhooks.
        """
        return await self._call(
            Call[CreateWebhookResponse](
                "POST",
                "/v1/vat/webhooks",
                body={
                    "url": url,
                    "description": description,
                    "events": events,
                    "format": format,
                    "agent_id": agent_id,
                    "provenance_ref": provenance_ref,
                    "signature": signature,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListWebhooksResponse:
        """List webhooks. The webhooks of your tenant, the newest change first."""
        return await self._call(
            Call[ListWebhooksResponse](
                "GET",
                "/v1/vat/webhooks",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_webhooks(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncIterator[GetWebhookResponse]:
        """Everything that `list_webhooks` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_webhooks(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_webhook(
        self,
        webhook_id: str,
    ) -> GetWebhookResponse:
        """Get a webhook."""
        return await self._call(
            Call[GetWebhookResponse](
                "GET",
                "/v1/vat/webhooks/{}",
                path_values=(webhook_id,),
            )
        )

    async def update_webhook(
        self,
        webhook_id: str,
        *,
        url: str | Unset = UNSET,
        description: str | None | Unset = UNSET,
        events: Sequence[Literal["*"] | EventType] | Unset = UNSET,
        format: Literal["deputy", "cloudevents", "ocsf"] | Unset = UNSET,
    ) -> GetWebhookResponse:
        """Update a webhook. Sets the fields that you send. Events waiting to be retried go to the new URL. Only an
        operator can update the webhook of an operator.
        """
        return await self._call(
            Call[GetWebhookResponse](
                "PATCH",
                "/v1/vat/webhooks/{}",
                path_values=(webhook_id,),
                body={
                    "url": url,
                    "description": description,
                    "events": events,
                    "format": format,
                },
                keeps_null=True,
            )
        )

    async def delete_webhook(
        self,
        webhook_id: str,
    ) -> DeleteWebhookResponse:
        """Delete a webhook. Nothing more is sent, except attempts in progress. Other nodes follow within seconds.
        Its deliveries are deleted too.
        """
        return await self._call(
            Call[DeleteWebhookResponse](
                "DELETE",
                "/v1/vat/webhooks/{}",
                path_values=(webhook_id,),
            )
        )

    async def rotate_webhook_secret(
        self,
        webhook_id: str,
        *,
        overlap_s: int | None = None,
        idempotency_key: str | None = None,
    ) -> CreateWebhookResponse:
        """Replace the key of a webhook. For `overlap_s` seconds messages carry a signature of the old key and one
        of the new. A receiver accepts a message if one of them is valid.
        """
        return await self._call(
            Call[CreateWebhookResponse](
                "POST",
                "/v1/vat/webhooks/{}/rotate-secret",
                path_values=(webhook_id,),
                body={
                    "overlap_s": overlap_s,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def enable_webhook(
        self,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> GetWebhookResponse:
        """Enable a webhook again. A disabled webhook continues where it stopped, so nothing is lost. Waiting
        events are sent immediately, even if the webhook is already enabled.
        """
        return await self._call(
            Call[GetWebhookResponse](
                "POST",
                "/v1/vat/webhooks/{}/enable",
                path_values=(webhook_id,),
                idempotency_key=idempotency_key,
            )
        )

    async def test_webhook(
        self,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> TestWebhookResponse:
        """Send a test event now. Sends one event of type webhook.test and returns the result. The event is not
        retried and not listed with the deliveries.
        """
        return await self._call(
            Call[TestWebhookResponse](
                "POST",
                "/v1/vat/webhooks/{}/test",
                path_values=(webhook_id,),
                idempotency_key=idempotency_key,
            )
        )

    async def list_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        state: Literal["waiting", "delivered", "failed"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListWebhookDeliveriesResponse:
        """List the deliveries of a webhook. Newest event first. Deliveries are kept for 7 days, at most the newest
        100,000.
        """
        return await self._call(
            Call[ListWebhookDeliveriesResponse](
                "GET",
                "/v1/vat/webhooks/{}/deliveries",
                path_values=(webhook_id,),
                query={
                    "state": state,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        state: Literal["waiting", "delivered", "failed"] | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[RetryWebhookDeliveryResponse]:
        """Everything that `list_webhook_deliveries` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_webhook_deliveries(
                webhook_id,
                state=state,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def retry_webhook_delivery(
        self,
        webhook_id: str,
        event_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> RetryWebhookDeliveryResponse:
        """Send an event again. Sends the event as soon as possible, with the same webhook-id, and before later
        events of its workflow.
        """
        return await self._call(
            Call[RetryWebhookDeliveryResponse](
                "POST",
                "/v1/vat/webhooks/{}/deliveries/{}/retry",
                path_values=(webhook_id, event_id,),
                idempotency_key=idempotency_key,
            )
        )

    async def replay_webhook(
        self,
        webhook_id: str,
        *,
        from_index: int,
        idempotency_key: str | None = None,
    ) -> GetWebhookResponse:
        """Send all events from a log index on again. Each event keeps its webhook-id, so a receiver that drops
        repeated IDs processes only those that it missed. An index before the webhook was created sends older
        events too, as far as you may see them.
        """
        return await self._call(
            Call[GetWebhookResponse](
                "POST",
                "/v1/vat/webhooks/{}/replay",
                path_values=(webhook_id,),
                body={
                    "from_index": from_index,
                },
                idempotency_key=idempotency_key,
            )
        )


class _Alerts(Transport):
    """Rules that watch agents: they notify, ask or suspend."""

    def list_alerts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAlertsResponse:
        """List alerts. Rules that fired, newest first. Each is also an event `alert.fired` and an entry of the
        log.
        """
        return self._call(
            Call[ListAlertsResponse](
                "GET",
                "/v1/vat/alerts",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_alerts(
        self,
        *,
        limit: int | None = None,
    ) -> Iterator[ListAlertsResponseDataItem]:
        """Everything that `list_alerts` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_alerts(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def create_alert_rule(
        self,
        *,
        name: str,
        condition: CreateAlertRuleConditionInput,
        effect: Literal["notify", "ask", "suspend"],
        agent_id: str | None = None,
        window_minutes: int | None = None,
        ask_minutes: int | None = None,
        enabled: bool | None = None,
        idempotency_key: str | None = None,
    ) -> CreateAlertRuleResponse:
        """Create an alert rule. Rules are evaluated about once a second, from counters, and never delay an action.
        A new rule begins with the next full minute or, for new_use, unusual_hours and spend_rate, with the next
        full hour. A tenant has at most 50.
        """
        return self._call(
            Call[CreateAlertRuleResponse](
                "POST",
                "/v1/vat/alerts/rules",
                body={
                    "name": name,
                    "condition": condition,
                    "effect": effect,
                    "agent_id": agent_id,
                    "window_minutes": window_minutes,
                    "ask_minutes": ask_minutes,
                    "enabled": enabled,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_alert_rules(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAlertRulesResponse:
        """List alert rules."""
        return self._call(
            Call[ListAlertRulesResponse](
                "GET",
                "/v1/vat/alerts/rules",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_alert_rules(
        self,
        *,
        limit: int | None = None,
    ) -> Iterator[CreateAlertRuleResponse]:
        """Everything that `list_alert_rules` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_alert_rules(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def suggest_alert_rules(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> SuggestAlertRulesResponse:
        """Switch on the suggested rules. Creates a rule for each suggestion that the tenant has no rule for yet.
        All of them only notify. Calling it again changes nothing.
        """
        return self._call(
            Call[SuggestAlertRulesResponse](
                "POST",
                "/v1/vat/alerts/rules/suggested",
                idempotency_key=idempotency_key,
            )
        )

    def dry_run_alert_rule(
        self,
        *,
        condition: CreateAlertRuleConditionInput,
        agent_id: str | None = None,
        window_minutes: int | None = None,
        from_: str | None = None,
        idempotency_key: str | None = None,
    ) -> DryRunAlertRuleResponse:
        """Try a rule on the past. Returns when a rule would have fired, computed from the same counters by the
        same code. Stores nothing. Does not account for actions that the effect would have prevented.
        """
        return self._call(
            Call[DryRunAlertRuleResponse](
                "POST",
                "/v1/vat/alerts/rules/dry-run",
                body={
                    "condition": condition,
                    "agent_id": agent_id,
                    "window_minutes": window_minutes,
                    "from": from_,
                },
                idempotency_key=idempotency_key,
            )
        )

    def get_alert_rule(
        self,
        rule_id: str,
    ) -> CreateAlertRuleResponse:
        """Get an alert rule."""
        return self._call(
            Call[CreateAlertRuleResponse](
                "GET",
                "/v1/vat/alerts/rules/{}",
                path_values=(rule_id,),
            )
        )

    def update_alert_rule(
        self,
        rule_id: str,
        *,
        name: str | None = None,
        condition: CreateAlertRuleConditionInput | None = None,
        effect: Literal["notify", "ask", "suspend"] | None = None,
        window_minutes: int | None = None,
        ask_minutes: int | None = None,
        enabled: bool | None = None,
    ) -> CreateAlertRuleResponse:
        """Change an alert rule. Fields that you leave out do not change. The changed rule begins like a new one:
        what happened before does not count, and it can fire again in the same window.
        """
        return self._call(
            Call[CreateAlertRuleResponse](
                "PATCH",
                "/v1/vat/alerts/rules/{}",
                path_values=(rule_id,),
                body={
                    "name": name,
                    "condition": condition,
                    "effect": effect,
                    "window_minutes": window_minutes,
                    "ask_minutes": ask_minutes,
                    "enabled": enabled,
                },
            )
        )

    def delete_alert_rule(
        self,
        rule_id: str,
    ) -> DeleteAlertRuleResponse:
        """Delete an alert rule. Alerts that it has fired stay, and so do the suspensions and approval requirements
        they caused.
        """
        return self._call(
            Call[DeleteAlertRuleResponse](
                "DELETE",
                "/v1/vat/alerts/rules/{}",
                path_values=(rule_id,),
            )
        )


class _AsyncAlerts(AsyncTransport):
    """Rules that watch agents: they notify, ask or suspend."""

    async def list_alerts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAlertsResponse:
        """List alerts. Rules that fired, newest first. Each is also an event `alert.fired` and an entry of the
        log.
        """
        return await self._call(
            Call[ListAlertsResponse](
                "GET",
                "/v1/vat/alerts",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_alerts(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncIterator[ListAlertsResponseDataItem]:
        """Everything that `list_alerts` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_alerts(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def create_alert_rule(
        self,
        *,
        name: str,
        condition: CreateAlertRuleConditionInput,
        effect: Literal["notify", "ask", "suspend"],
        agent_id: str | None = None,
        window_minutes: int | None = None,
        ask_minutes: int | None = None,
        enabled: bool | None = None,
        idempotency_key: str | None = None,
    ) -> CreateAlertRuleResponse:
        """Create an alert rule. Rules are evaluated about once a second, from counters, and never delay an action.
        A new rule begins with the next full minute or, for new_use, unusual_hours and spend_rate, with the next
        full hour. A tenant has at most 50.
        """
        return await self._call(
            Call[CreateAlertRuleResponse](
                "POST",
                "/v1/vat/alerts/rules",
                body={
                    "name": name,
                    "condition": condition,
                    "effect": effect,
                    "agent_id": agent_id,
                    "window_minutes": window_minutes,
                    "ask_minutes": ask_minutes,
                    "enabled": enabled,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_alert_rules(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAlertRulesResponse:
        """List alert rules."""
        return await self._call(
            Call[ListAlertRulesResponse](
                "GET",
                "/v1/vat/alerts/rules",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_alert_rules(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncIterator[CreateAlertRuleResponse]:
        """Everything that `list_alert_rules` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_alert_rules(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def suggest_alert_rules(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> SuggestAlertRulesResponse:
        """Switch on the suggested rules. Creates a rule for each suggestion that the tenant has no rule for yet.
        All of them only notify. Calling it again changes nothing.
        """
        return await self._call(
            Call[SuggestAlertRulesResponse](
                "POST",
                "/v1/vat/alerts/rules/suggested",
                idempotency_key=idempotency_key,
            )
        )

    async def dry_run_alert_rule(
        self,
        *,
        condition: CreateAlertRuleConditionInput,
        agent_id: str | None = None,
        window_minutes: int | None = None,
        from_: str | None = None,
        idempotency_key: str | None = None,
    ) -> DryRunAlertRuleResponse:
        """Try a rule on the past. Returns when a rule would have fired, computed from the same counters by the
        same code. Stores nothing. Does not account for actions that the effect would have prevented.
        """
        return await self._call(
            Call[DryRunAlertRuleResponse](
                "POST",
                "/v1/vat/alerts/rules/dry-run",
                body={
                    "condition": condition,
                    "agent_id": agent_id,
                    "window_minutes": window_minutes,
                    "from": from_,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def get_alert_rule(
        self,
        rule_id: str,
    ) -> CreateAlertRuleResponse:
        """Get an alert rule."""
        return await self._call(
            Call[CreateAlertRuleResponse](
                "GET",
                "/v1/vat/alerts/rules/{}",
                path_values=(rule_id,),
            )
        )

    async def update_alert_rule(
        self,
        rule_id: str,
        *,
        name: str | None = None,
        condition: CreateAlertRuleConditionInput | None = None,
        effect: Literal["notify", "ask", "suspend"] | None = None,
        window_minutes: int | None = None,
        ask_minutes: int | None = None,
        enabled: bool | None = None,
    ) -> CreateAlertRuleResponse:
        """Change an alert rule. Fields that you leave out do not change. The changed rule begins like a new one:
        what happened before does not count, and it can fire again in the same window.
        """
        return await self._call(
            Call[CreateAlertRuleResponse](
                "PATCH",
                "/v1/vat/alerts/rules/{}",
                path_values=(rule_id,),
                body={
                    "name": name,
                    "condition": condition,
                    "effect": effect,
                    "window_minutes": window_minutes,
                    "ask_minutes": ask_minutes,
                    "enabled": enabled,
                },
            )
        )

    async def delete_alert_rule(
        self,
        rule_id: str,
    ) -> DeleteAlertRuleResponse:
        """Delete an alert rule. Alerts that it has fired stay, and so do the suspensions and approval requirements
        they caused.
        """
        return await self._call(
            Call[DeleteAlertRuleResponse](
                "DELETE",
                "/v1/vat/alerts/rules/{}",
                path_values=(rule_id,),
            )
        )


class _Provenance(Transport):
    """Workflows: every action below one root token."""

    def list_workflows(
        self,
        *,
        human_ref: str | None = None,
        agent_id: str | None = None,
        state: Literal["open", "closed"] | None = None,
        q: str | None = None,
        expand: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListWorkflowsResponse:
        """List workflows. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is
        true.
        """
        return self._call(
            Call[ListWorkflowsResponse](
                "GET",
                "/v1/vat/workflows",
                query={
                    "human_ref": human_ref,
                    "agent_id": agent_id,
                    "state": state,
                    "q": q,
                    "expand": expand,
                    "total": total,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_workflows(
        self,
        *,
        human_ref: str | None = None,
        agent_id: str | None = None,
        state: Literal["open", "closed"] | None = None,
        q: str | None = None,
        expand: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> Iterator[ListWorkflowsResponseDataItem]:
        """Everything that `list_workflows` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_workflows(
                human_ref=human_ref,
                agent_id=agent_id,
                state=state,
                q=q,
                expand=expand,
                total=total,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_provenance(
        self,
        ref: str,
    ) -> GetProvenanceResponse:
        """Summarize a workflow. Counts every action of every agent in the workflow."""
        return self._call(
            Call[GetProvenanceResponse](
                "GET",
                "/v1/vat/aar/provenance/{}",
                path_values=(ref,),
            )
        )

    def list_workflow_records(
        self,
        ref: str,
        *,
        order: Literal["newest", "oldest"] | None = None,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        result: str | None = None,
        rating: Literal["approved", "flagged", "rejected"] | None = None,
        state: Literal["pending", "completed", "cancelled", "expired"] | None = None,
        evidence: Literal["self_reported", "observed", "countersigned"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListRecordsResponse:
        """List the actions of a workflow. A page can hold fewer entries than `limit`: continue while `has_more` is
        true.
        """
        return self._call(
            Call[ListRecordsResponse](
                "GET",
                "/v1/vat/aar/provenance/{}/records",
                path_values=(ref,),
                query={
                    "order": order,
                    "agent_id": agent_id,
                    "action": action,
                    "resource": resource,
                    "result": result,
                    "rating": rating,
                    "state": state,
                    "evidence": evidence,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_workflow_records(
        self,
        ref: str,
        *,
        order: Literal["newest", "oldest"] | None = None,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        result: str | None = None,
        rating: Literal["approved", "flagged", "rejected"] | None = None,
        state: Literal["pending", "completed", "cancelled", "expired"] | None = None,
        evidence: Literal["self_reported", "observed", "countersigned"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Record]:
        """Everything that `list_workflow_records` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_workflow_records(
                ref,
                order=order,
                agent_id=agent_id,
                action=action,
                resource=resource,
                result=result,
                rating=rating,
                state=state,
                evidence=evidence,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_workflow_graph(
        self,
        ref: str,
        *,
        limit: int | None = None,
        expand: str | None = None,
        cursor: str | None = None,
    ) -> GetWorkflowGraphResponse:
        """Get the execution graph of a workflow. Shows who delegated to whom and what was done. A page holds up to
        `limit` actions, oldest first, with every token, agent and person above them. With `expand`, denials and
        approvals come in the order of time with the actions, up to `limit` of each. After the last of them come
        the unused tokens, up to `limit` per page. Edges can refer to actions of earlier pages, which are not
        repeated; tokens, agents and the person are repeated on every page that needs them.
        """
        return self._call(
            Call[GetWorkflowGraphResponse](
                "GET",
                "/v1/vat/aar/provenance/{}/graph",
                path_values=(ref,),
                query={
                    "limit": limit,
                    "expand": expand,
                    "cursor": cursor,
                },
            )
        )

    def export_workflow(
        self,
        ref: str,
        *,
        format: Literal["ndjson", "csv", "prov-json", "ocsf", "proof-pack"],
    ) -> str:
        """Export a workflow. Downloads a consistent snapshot of the whole workflow, without a size limit. ndjson:
        one record per line. csv: RFC 4180 with a header line; a cell that a spreadsheet could run as a formula,
        or that starts with an apostrophe, gets an apostrophe in front. prov-json: the W3C submission PROV-JSON.
        ocsf: every event of the workflow as a row of OCSF 1.8, one per line, for a SIEM. proof-pack: the log
        entries of the workflow with their proofs, the records and the signed checkpoint; `deputy verify` and
        the page /verify check it without this service. Exports never contain a token ID: `token` and
        `root_token` are SHA-256 digests of the ID.
        """
        return self._call(
            Call[str](
                "GET",
                "/v1/vat/aar/provenance/{}/export",
                path_values=(ref,),
                query={
                    "format": format,
                },
                answer="text",
            )
        )

    def get_lineage(
        self,
        id: str,
    ) -> GetLineageResponse:
        """Get the causes and effects of an action. Returns its causes up to the first one (at most 1,000), its
        direct effects (at most 200), and the chain of tokens from the agent up to the person.
        """
        return self._call(
            Call[GetLineageResponse](
                "GET",
                "/v1/vat/aar/{}/lineage",
                path_values=(id,),
            )
        )

    def preview_audit_pack(
        self,
        *,
        workflow: Sequence[str] | None = None,
        agent_id: Sequence[str] | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> PreviewAuditPackResponse:
        """Count what an audit pack would contain. Takes the same parameters as the pack and creates nothing. A
        workflow fits a time range if it began in it, or if it has an action, a denial or a request for approval
        in it.
        """
        return self._call(
            Call[PreviewAuditPackResponse](
                "GET",
                "/v1/vat/audit/preview",
                query={
                    "workflow": workflow,
                    "agent_id": agent_id,
                    "from": from_,
                    "to": to,
                },
            )
        )

    def export_audit_pack(
        self,
        *,
        workflow: Sequence[str] | None = None,
        agent_id: Sequence[str] | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> bytes:
        """Download an audit pack. One ZIP archive for an auditor: the proof pack of every chosen workflow, the
        signed checkpoint with its cosignatures, a table of all decisions (allowed, denied, and approved by
        whom), the policies with what was found for each token, a manifest with the hash of each file, the
        verdict of the verifier, and a README that says how to check all of it without this service. `deputy
        verify` and the page /verify compute the verdict again. A workflow fits a time range if it began in it,
        or if it has an action, a denial or a request for approval in it; it is always in the pack as a whole,
        up to the checkpoint. Without parameters, the pack is about every workflow. A pack never contains a
        token ID, nor text that was erased.
        """
        return self._call(
            Call[bytes](
                "GET",
                "/v1/vat/audit/pack",
                query={
                    "workflow": workflow,
                    "agent_id": agent_id,
                    "from": from_,
                    "to": to,
                },
                answer="bytes",
            )
        )


class _AsyncProvenance(AsyncTransport):
    """Workflows: every action below one root token."""

    async def list_workflows(
        self,
        *,
        human_ref: str | None = None,
        agent_id: str | None = None,
        state: Literal["open", "closed"] | None = None,
        q: str | None = None,
        expand: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListWorkflowsResponse:
        """List workflows. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is
        true.
        """
        return await self._call(
            Call[ListWorkflowsResponse](
                "GET",
                "/v1/vat/workflows",
                query={
                    "human_ref": human_ref,
                    "agent_id": agent_id,
                    "state": state,
                    "q": q,
                    "expand": expand,
                    "total": total,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_workflows(
        self,
        *,
        human_ref: str | None = None,
        agent_id: str | None = None,
        state: Literal["open", "closed"] | None = None,
        q: str | None = None,
        expand: str | None = None,
        total: Literal["1", "true"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[ListWorkflowsResponseDataItem]:
        """Everything that `list_workflows` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_workflows(
                human_ref=human_ref,
                agent_id=agent_id,
                state=state,
                q=q,
                expand=expand,
                total=total,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_provenance(
        self,
        ref: str,
    ) -> GetProvenanceResponse:
        """Summarize a workflow. Counts every action of every agent in the workflow."""
        return await self._call(
            Call[GetProvenanceResponse](
                "GET",
                "/v1/vat/aar/provenance/{}",
                path_values=(ref,),
            )
        )

    async def list_workflow_records(
        self,
        ref: str,
        *,
        order: Literal["newest", "oldest"] | None = None,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        result: str | None = None,
        rating: Literal["approved", "flagged", "rejected"] | None = None,
        state: Literal["pending", "completed", "cancelled", "expired"] | None = None,
        evidence: Literal["self_reported", "observed", "countersigned"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListRecordsResponse:
        """List the actions of a workflow. A page can hold fewer entries than `limit`: continue while `has_more` is
        true.
        """
        return await self._call(
            Call[ListRecordsResponse](
                "GET",
                "/v1/vat/aar/provenance/{}/records",
                path_values=(ref,),
                query={
                    "order": order,
                    "agent_id": agent_id,
                    "action": action,
                    "resource": resource,
                    "result": result,
                    "rating": rating,
                    "state": state,
                    "evidence": evidence,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_workflow_records(
        self,
        ref: str,
        *,
        order: Literal["newest", "oldest"] | None = None,
        agent_id: str | None = None,
        action: str | None = None,
        resource: str | None = None,
        result: str | None = None,
        rating: Literal["approved", "flagged", "rejected"] | None = None,
        state: Literal["pending", "completed", "cancelled", "expired"] | None = None,
        evidence: Literal["self_reported", "observed", "countersigned"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Record]:
        """Everything that `list_workflow_records` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_workflow_records(
                ref,
                order=order,
                agent_id=agent_id,
                action=action,
                resource=resource,
                result=result,
                rating=rating,
                state=state,
                evidence=evidence,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_workflow_graph(
        self,
        ref: str,
        *,
        limit: int | None = None,
        expand: str | None = None,
        cursor: str | None = None,
    ) -> GetWorkflowGraphResponse:
        """Get the execution graph of a workflow. Shows who delegated to whom and what was done. A page holds up to
        `limit` actions, oldest first, with every token, agent and person above them. With `expand`, denials and
        approvals come in the order of time with the actions, up to `limit` of each. After the last of them come
        the unused tokens, up to `limit` per page. Edges can refer to actions of earlier pages, which are not
        repeated; tokens, agents and the person are repeated on every page that needs them.
        """
        return await self._call(
            Call[GetWorkflowGraphResponse](
                "GET",
                "/v1/vat/aar/provenance/{}/graph",
                path_values=(ref,),
                query={
                    "limit": limit,
                    "expand": expand,
                    "cursor": cursor,
                },
            )
        )

    async def export_workflow(
        self,
        ref: str,
        *,
        format: Literal["ndjson", "csv", "prov-json", "ocsf", "proof-pack"],
    ) -> str:
        """Export a workflow. Downloads a consistent snapshot of the whole workflow, without a size limit. ndjson:
        one record per line. csv: RFC 4180 with a header line; a cell that a spreadsheet could run as a formula,
        or that starts with an apostrophe, gets an apostrophe in front. prov-json: the W3C submission PROV-JSON.
        ocsf: every event of the workflow as a row of OCSF 1.8, one per line, for a SIEM. proof-pack: the log
        entries of the workflow with their proofs, the records and the signed checkpoint; `deputy verify` and
        the page /verify check it without this service. Exports never contain a token ID: `token` and
        `root_token` are SHA-256 digests of the ID.
        """
        return await self._call(
            Call[str](
                "GET",
                "/v1/vat/aar/provenance/{}/export",
                path_values=(ref,),
                query={
                    "format": format,
                },
                answer="text",
            )
        )

    async def get_lineage(
        self,
        id: str,
    ) -> GetLineageResponse:
        """Get the causes and effects of an action. Returns its causes up to the first one (at most 1,000), its
        direct effects (at most 200), and the chain of tokens from the agent up to the person.
        """
        return await self._call(
            Call[GetLineageResponse](
                "GET",
                "/v1/vat/aar/{}/lineage",
                path_values=(id,),
            )
        )

    async def preview_audit_pack(
        self,
        *,
        workflow: Sequence[str] | None = None,
        agent_id: Sequence[str] | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> PreviewAuditPackResponse:
        """Count what an audit pack would contain. Takes the same parameters as the pack and creates nothing. A
        workflow fits a time range if it began in it, or if it has an action, a denial or a request for approval
        in it.
        """
        return await self._call(
            Call[PreviewAuditPackResponse](
                "GET",
                "/v1/vat/audit/preview",
                query={
                    "workflow": workflow,
                    "agent_id": agent_id,
                    "from": from_,
                    "to": to,
                },
            )
        )

    async def export_audit_pack(
        self,
        *,
        workflow: Sequence[str] | None = None,
        agent_id: Sequence[str] | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> bytes:
        """Download an audit pack. One ZIP archive for an auditor: the proof pack of every chosen workflow, the
        signed checkpoint with its cosignatures, a table of all decisions (allowed, denied, and approved by
        whom), the policies with what was found for each token, a manifest with the hash of each file, the
        verdict of the verifier, and a README that says how to check all of it without this service. `deputy
        verify` and the page /verify compute the verdict again. A workflow fits a time range if it began in it,
        or if it has an action, a denial or a request for approval in it; it is always in the pack as a whole,
        up to the checkpoint. Without parameters, the pack is about every workflow. A pack never contains a
        token ID, nor text that was erased.
        """
        return await self._call(
            Call[bytes](
                "GET",
                "/v1/vat/audit/pack",
                query={
                    "workflow": workflow,
                    "agent_id": agent_id,
                    "from": from_,
                    "to": to,
                },
                answer="bytes",
            )
        )


class _Log(Transport):
    """The transparency log, with proofs."""

    def get_receipt(
        self,
        id: str,
    ) -> Receipt:
        """Get a receipt for an action. Returns the log entries of the action, a proof of inclusion for each, and
        the signed checkpoint that the proofs lead to. With the receipt you can prove later that the action was
        recorded, completed and rated as it says. The call waits up to a second for a checkpoint that covers the
        newest entry.
        """
        return self._call(
            Call[Receipt](
                "GET",
                "/v1/vat/aar/{}/receipt",
                path_values=(id,),
            )
        )

    def get_checkpoint(
        self,
    ) -> str:
        """Get the newest checkpoint. Size and root hash of the log as a signed note (C2SP tlog-checkpoint), with
        the cosignatures of witnesses. Keep it: every later checkpoint must extend it.
        """
        return self._call(
            Call[str](
                "GET",
                "/checkpoint",
                answer="text",
            )
        )

    def get_tile(
        self,
        level: str,
        index: str,
    ) -> bytes:
        """Get a tile of hashes. C2SP tlog-tiles: `/tile/<L>/<N>[.p/<W>]` holds up to 256 hashes. `<N>` is written
        in groups of three digits, such as `x001/x234/067`. A tile never changes.
        """
        return self._call(
            Call[bytes](
                "GET",
                "/tile/{}/{}",
                path_values=(level, index,),
                answer="bytes",
            )
        )

    def get_entries(
        self,
        index: str,
    ) -> bytes:
        """Get a tile of entries. C2SP tlog-tiles: `/tile/entries/<N>[.p/<W>]` holds up to 256 entries, each after
        its length in two bytes. In keyed mode only operators and auditors of the deployment can read entries;
        hashes and proofs are public.
        """
        return self._call(
            Call[bytes](
                "GET",
                "/tile/entries/{}",
                path_values=(index,),
                answer="bytes",
            )
        )

    def list_log_entries(
        self,
        *,
        start: int | None = None,
        limit: int | None = None,
    ) -> ListLogEntriesResponse:
        """List log entries."""
        return self._call(
            Call[ListLogEntriesResponse](
                "GET",
                "/v1/vat/log/entries",
                query={
                    "start": start,
                    "limit": limit,
                },
            )
        )

    def get_log_entry(
        self,
        index: int,
    ) -> GetLogEntryResponse:
        """Get a log entry."""
        return self._call(
            Call[GetLogEntryResponse](
                "GET",
                "/v1/vat/log/entries/{}",
                path_values=(index,),
            )
        )

    def get_inclusion_proof(
        self,
        *,
        index: int,
        size: int | None = None,
    ) -> GetInclusionProofResponse:
        """Prove that the log contains an entry."""
        return self._call(
            Call[GetInclusionProofResponse](
                "GET",
                "/v1/vat/log/proof/inclusion",
                query={
                    "index": index,
                    "size": size,
                },
            )
        )

    def get_consistency_proof(
        self,
        *,
        from_: int,
        to: int | None = None,
    ) -> GetConsistencyProofResponse:
        """Prove that the log only grew."""
        return self._call(
            Call[GetConsistencyProofResponse](
                "GET",
                "/v1/vat/log/proof/consistency",
                query={
                    "from": from_,
                    "to": to,
                },
            )
        )

    def list_checkpoints(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListCheckpointsResponse:
        """List signed checkpoints."""
        return self._call(
            Call[ListCheckpointsResponse](
                "GET",
                "/v1/vat/log/checkpoints",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_checkpoints(
        self,
        *,
        limit: int | None = None,
    ) -> Iterator[ListCheckpointsResponseDataItem]:
        """Everything that `list_checkpoints` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_checkpoints(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_witnesses(
        self,
    ) -> ListWitnessesResponse:
        """List the witnesses of the log. Witnesses cosign checkpoints, so that the log cannot show different
        histories to different people. `failing_since` and `failure` are what this node has seen since it
        started.
        """
        return self._call(
            Call[ListWitnessesResponse](
                "GET",
                "/v1/vat/log/witnesses",
            )
        )


class _AsyncLog(AsyncTransport):
    """The transparency log, with proofs."""

    async def get_receipt(
        self,
        id: str,
    ) -> Receipt:
        """Get a receipt for an action. Returns the log entries of the action, a proof of inclusion for each, and
        the signed checkpoint that the proofs lead to. With the receipt you can prove later that the action was
        recorded, completed and rated as it says. The call waits up to a second for a checkpoint that covers the
        newest entry.
        """
        return await self._call(
            Call[Receipt](
                "GET",
                "/v1/vat/aar/{}/receipt",
                path_values=(id,),
            )
        )

    async def get_checkpoint(
        self,
    ) -> str:
        """Get the newest checkpoint. Size and root hash of the log as a signed note (C2SP tlog-checkpoint), with
        the cosignatures of witnesses. Keep it: every later checkpoint must extend it.
        """
        return await self._call(
            Call[str](
                "GET",
                "/checkpoint",
                answer="text",
            )
        )

    async def get_tile(
        self,
        level: str,
        index: str,
    ) -> bytes:
        """Get a tile of hashes. C2SP tlog-tiles: `/tile/<L>/<N>[.p/<W>]` holds up to 256 hashes. `<N>` is written
        in groups of three digits, such as `x001/x234/067`. A tile never changes.
        """
        return await self._call(
            Call[bytes](
                "GET",
                "/tile/{}/{}",
                path_values=(level, index,),
                answer="bytes",
            )
        )

    async def get_entries(
        self,
        index: str,
    ) -> bytes:
        """Get a tile of entries. C2SP tlog-tiles: `/tile/entries/<N>[.p/<W>]` holds up to 256 entries, each after
        its length in two bytes. In keyed mode only operators and auditors of the deployment can read entries;
        hashes and proofs are public.
        """
        return await self._call(
            Call[bytes](
                "GET",
                "/tile/entries/{}",
                path_values=(index,),
                answer="bytes",
            )
        )

    async def list_log_entries(
        self,
        *,
        start: int | None = None,
        limit: int | None = None,
    ) -> ListLogEntriesResponse:
        """List log entries."""
        return await self._call(
            Call[ListLogEntriesResponse](
                "GET",
                "/v1/vat/log/entries",
                query={
                    "start": start,
                    "limit": limit,
                },
            )
        )

    async def get_log_entry(
        self,
        index: int,
    ) -> GetLogEntryResponse:
        """Get a log entry."""
        return await self._call(
            Call[GetLogEntryResponse](
                "GET",
                "/v1/vat/log/entries/{}",
                path_values=(index,),
            )
        )

    async def get_inclusion_proof(
        self,
        *,
        index: int,
        size: int | None = None,
    ) -> GetInclusionProofResponse:
        """Prove that the log contains an entry."""
        return await self._call(
            Call[GetInclusionProofResponse](
                "GET",
                "/v1/vat/log/proof/inclusion",
                query={
                    "index": index,
                    "size": size,
                },
            )
        )

    async def get_consistency_proof(
        self,
        *,
        from_: int,
        to: int | None = None,
    ) -> GetConsistencyProofResponse:
        """Prove that the log only grew."""
        return await self._call(
            Call[GetConsistencyProofResponse](
                "GET",
                "/v1/vat/log/proof/consistency",
                query={
                    "from": from_,
                    "to": to,
                },
            )
        )

    async def list_checkpoints(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListCheckpointsResponse:
        """List signed checkpoints."""
        return await self._call(
            Call[ListCheckpointsResponse](
                "GET",
                "/v1/vat/log/checkpoints",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_checkpoints(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncIterator[ListCheckpointsResponseDataItem]:
        """Everything that `list_checkpoints` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_checkpoints(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def list_witnesses(
        self,
    ) -> ListWitnessesResponse:
        """List the witnesses of the log. Witnesses cosign checkpoints, so that the log cannot show different
        histories to different people. `failing_since` and `failure` are what this node has seen since it
        started.
        """
        return await self._call(
            Call[ListWitnessesResponse](
                "GET",
                "/v1/vat/log/witnesses",
            )
        )


class _Events(Transport):
    """Follow what happens."""

    def list_events(
        self,
        *,
        after: int | None = None,
        last: int | None = None,
        limit: int | None = None,
        wait: int | None = None,
        type: Sequence[EventType] | None = None,
        agent_id: str | None = None,
        provenance_ref: str | None = None,
        vat_jti: str | None = None,
        format: Literal["deputy", "cloudevents", "ocsf"] | None = None,
    ) -> ListEventsResponse:
        """Follow or list events. The events that you may see, oldest first. With `Accept: text/event-stream` the
        response is a stream of server-sent events that stays open: the `id` of each event is its number, and a
        client that reconnects with `Last-Event-ID` misses nothing. A stream without `after` starts now.
        Otherwise the response is a page, which starts with the first event or after `after`.
        """
        return self._call(
            Call[ListEventsResponse](
                "GET",
                "/v1/vat/events",
                query={
                    "after": after,
                    "last": last,
                    "limit": limit,
                    "wait": wait,
                    "type": type,
                    "agent_id": agent_id,
                    "provenance_ref": provenance_ref,
                    "vat_jti": vat_jti,
                    "format": format,
                },
            )
        )


class _AsyncEvents(AsyncTransport):
    """Follow what happens."""

    async def list_events(
        self,
        *,
        after: int | None = None,
        last: int | None = None,
        limit: int | None = None,
        wait: int | None = None,
        type: Sequence[EventType] | None = None,
        agent_id: str | None = None,
        provenance_ref: str | None = None,
        vat_jti: str | None = None,
        format: Literal["deputy", "cloudevents", "ocsf"] | None = None,
    ) -> ListEventsResponse:
        """Follow or list events. The events that you may see, oldest first. With `Accept: text/event-stream` the
        response is a stream of server-sent events that stays open: the `id` of each event is its number, and a
        client that reconnects with `Last-Event-ID` misses nothing. A stream without `after` starts now.
        Otherwise the response is a page, which starts with the first event or after `after`.
        """
        return await self._call(
            Call[ListEventsResponse](
                "GET",
                "/v1/vat/events",
                query={
                    "after": after,
                    "last": last,
                    "limit": limit,
                    "wait": wait,
                    "type": type,
                    "agent_id": agent_id,
                    "provenance_ref": provenance_ref,
                    "vat_jti": vat_jti,
                    "format": format,
                },
            )
        )


class _Humans(Transport):
    """The people behind tokens."""

    def refuse_tokens(
        self,
        human_ref: str,
        *,
        idempotency_key: str | None = None,
    ) -> RefuseTokensResponse:
        """Refuse new tokens in the name of a person. Until it is lifted, no token is issued or renewed in the name
        of the person, at any level (403 `human_refuses`). It covers every ref of the person. Tokens that exist
        are not affected; revoke them with POST /v1/vat/revoke/human.
        """
        return self._call(
            Call[RefuseTokensResponse](
                "POST",
                "/v1/vat/humans/{}/refuse",
                path_values=(human_ref,),
                idempotency_key=idempotency_key,
            )
        )

    def accept_tokens(
        self,
        human_ref: str,
        *,
        idempotency_key: str | None = None,
    ) -> RefuseTokensResponse:
        """Accept tokens in the name of a person again. Only the person or an operator can do this."""
        return self._call(
            Call[RefuseTokensResponse](
                "POST",
                "/v1/vat/humans/{}/accept",
                path_values=(human_ref,),
                idempotency_key=idempotency_key,
            )
        )

    def list_humans(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListHumansResponse:
        """List people. The people of your tenant in whose name a token was issued, the newest first. Levels and
        counts cover the newest 200 tokens of each. A person who proved several levels can have a ref for each
        of them. The service stores no email addresses. A page can hold fewer entries than `limit`: continue
        while `has_more` is true.
        """
        return self._call(
            Call[ListHumansResponse](
                "GET",
                "/v1/vat/humans",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_humans(
        self,
        *,
        limit: int | None = None,
    ) -> Iterator[ListHumansResponseDataItem]:
        """Everything that `list_humans` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_humans(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_human(
        self,
        human_ref: str,
    ) -> GetHumanResponse:
        """Get a person. Assurance levels and counts cover the newest 10,000 tokens."""
        return self._call(
            Call[GetHumanResponse](
                "GET",
                "/v1/vat/humans/{}",
                path_values=(human_ref,),
            )
        )

    def erase_human(
        self,
        human_ref: str,
    ) -> EraseHumanResponse:
        """Erase a person. Revokes every token of the person and destroys the key that encrypts their personal
        data: notes, metadata, purposes, reasons and stored answers. This cannot be undone. The log does not
        change and still verifies. Erasing again changes nothing; repeat the call after a 503.
        """
        return self._call(
            Call[EraseHumanResponse](
                "DELETE",
                "/v1/vat/humans/{}",
                path_values=(human_ref,),
            )
        )

    def export_human(
        self,
        human_ref: str,
    ) -> str:
        """Export everything about a person. JSON Lines, for each `human_ref` of the person, the named one first: a
        line `human`, then each `token`, `record`, `denial`, `approval`, `habit`, `vouch` (given and got),
        `anchor`, `passkey`, `session` and `key` (from a sign-in to the dashboard), newest first, then each
        `channel` and the settings `notifications`. After that come `biometric` and each `verification`, and a
        last line `end` with the counts. Tokens are identified by the SHA-256 digest of their ID, because the
        file may be shared. Operators get the line `biometric` without the template.
        """
        return self._call(
            Call[str](
                "GET",
                "/v1/vat/humans/{}/export",
                path_values=(human_ref,),
                answer="text",
            )
        )


class _AsyncHumans(AsyncTransport):
    """The people behind tokens."""

    async def refuse_tokens(
        self,
        human_ref: str,
        *,
        idempotency_key: str | None = None,
    ) -> RefuseTokensResponse:
        """Refuse new tokens in the name of a person. Until it is lifted, no token is issued or renewed in the name
        of the person, at any level (403 `human_refuses`). It covers every ref of the person. Tokens that exist
        are not affected; revoke them with POST /v1/vat/revoke/human.
        """
        return await self._call(
            Call[RefuseTokensResponse](
                "POST",
                "/v1/vat/humans/{}/refuse",
                path_values=(human_ref,),
                idempotency_key=idempotency_key,
            )
        )

    async def accept_tokens(
        self,
        human_ref: str,
        *,
        idempotency_key: str | None = None,
    ) -> RefuseTokensResponse:
        """Accept tokens in the name of a person again. Only the person or an operator can do this."""
        return await self._call(
            Call[RefuseTokensResponse](
                "POST",
                "/v1/vat/humans/{}/accept",
                path_values=(human_ref,),
                idempotency_key=idempotency_key,
            )
        )

    async def list_humans(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListHumansResponse:
        """List people. The people of your tenant in whose name a token was issued, the newest first. Levels and
        counts cover the newest 200 tokens of each. A person who proved several levels can have a ref for each
        of them. The service stores no email addresses. A page can hold fewer entries than `limit`: continue
        while `has_more` is true.
        """
        return await self._call(
            Call[ListHumansResponse](
                "GET",
                "/v1/vat/humans",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_humans(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncIterator[ListHumansResponseDataItem]:
        """Everything that `list_humans` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_humans(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_human(
        self,
        human_ref: str,
    ) -> GetHumanResponse:
        """Get a person. Assurance levels and counts cover the newest 10,000 tokens."""
        return await self._call(
            Call[GetHumanResponse](
                "GET",
                "/v1/vat/humans/{}",
                path_values=(human_ref,),
            )
        )

    async def erase_human(
        self,
        human_ref: str,
    ) -> EraseHumanResponse:
        """Erase a person. Revokes every token of the person and destroys the key that encrypts their personal
        data: notes, metadata, purposes, reasons and stored answers. This cannot be undone. The log does not
        change and still verifies. Erasing again changes nothing; repeat the call after a 503.
        """
        return await self._call(
            Call[EraseHumanResponse](
                "DELETE",
                "/v1/vat/humans/{}",
                path_values=(human_ref,),
            )
        )

    async def export_human(
        self,
        human_ref: str,
    ) -> str:
        """Export everything about a person. JSON Lines, for each `human_ref` of the person, the named one first: a
        line `human`, then each `token`, `record`, `denial`, `approval`, `habit`, `vouch` (given and got),
        `anchor`, `passkey`, `session` and `key` (from a sign-in to the dashboard), newest first, then each
        `channel` and the settings `notifications`. After that come `biometric` and each `verification`, and a
        last line `end` with the counts. Tokens are identified by the SHA-256 digest of their ID, because the
        file may be shared. Operators get the line `biometric` without the template.
        """
        return await self._call(
            Call[str](
                "GET",
                "/v1/vat/humans/{}/export",
                path_values=(human_ref,),
                answer="text",
            )
        )


class _People(Transport):
    """Passkeys and sessions of signed-in people."""

    def get_me(
        self,
    ) -> GetMeResponse:
        """Get the caller. Who you are with this credential or in this session, and what you may call. Fields about
        a person are present only for a signed-in person.
        """
        return self._call(
            Call[GetMeResponse](
                "GET",
                "/v1/vat/auth/me",
            )
        )

    def sign_in_with_key(
        self,
        *,
        key: str,
        idempotency_key: str | None = None,
    ) -> SignInWithKeyResponse:
        """Sign in with an API key. Exchanges the key of an operator, a developer or an auditor for a session of
        the same role and tenant, for work in a browser. The response sets the session cookie. The session ends
        with its key, after 30 minutes without a request, and after 8 hours at the latest.
        """
        return self._call(
            Call[SignInWithKeyResponse](
                "POST",
                "/v1/vat/auth/sign-in/key",
                body={
                    "key": key,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_sign_ins(
        self,
        *,
        human_ref: str | None = None,
    ) -> ListSignInsResponse:
        """List sessions. Sessions that are open, newest first. People see their own, developers and auditors those
        of their key, and operators all sessions with API keys of the tenant, or those of one person.
        """
        return self._call(
            Call[ListSignInsResponse](
                "GET",
                "/v1/vat/auth/sign-ins",
                query={
                    "human_ref": human_ref,
                },
            )
        )

    def end_sign_in(
        self,
        session_id: str,
    ) -> EndSignInResponse:
        """End a session. Any session that you can list. Its browser has to sign in again."""
        return self._call(
            Call[EndSignInResponse](
                "DELETE",
                "/v1/vat/auth/sign-ins/{}",
                path_values=(session_id,),
            )
        )

    def log_out(
        self,
        *,
        everywhere: bool | None = None,
        idempotency_key: str | None = None,
    ) -> LogOutResponse:
        """Sign out. Ends the session of this call. A program that sends its API key has none, and can end the
        sessions of the key with `everywhere`.
        """
        return self._call(
            Call[LogOutResponse](
                "POST",
                "/v1/vat/auth/logout",
                body={
                    "everywhere": everywhere,
                },
                idempotency_key=idempotency_key,
            )
        )

    def begin_passkey(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> BeginPasskeyResponse:
        """Start registering a passkey. For a person who signed in during the last five minutes, or who confirms
        the call with a passkey they have (`sign_on_too_old` otherwise). The challenge works once, in this
        session, for three minutes.
        """
        return self._call(
            Call[BeginPasskeyResponse](
                "POST",
                "/v1/vat/auth/passkeys/register/options",
                idempotency_key=idempotency_key,
            )
        )

    def finish_passkey(
        self,
        *,
        response: FinishPasskeyResponseInput,
        name: str | None = None,
        idempotency_key: str | None = None,
    ) -> FinishPasskeyResponse:
        """Register a passkey. User verification is required. Signing in with the passkey gives the assurance level
        of the session in which it was registered, never more.
        """
        return self._call(
            Call[FinishPasskeyResponse](
                "POST",
                "/v1/vat/auth/passkeys/register/verify",
                body={
                    "response": response,
                    "name": name,
                },
                idempotency_key=idempotency_key,
            )
        )

    def begin_passkey_login(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> BeginPasskeyResponse:
        """Start signing in with a passkey. The request names no person: the browser lets them choose one of their
        passkeys.
        """
        return self._call(
            Call[BeginPasskeyResponse](
                "POST",
                "/v1/vat/auth/passkeys/login/options",
                idempotency_key=idempotency_key,
            )
        )

    def finish_passkey_login(
        self,
        *,
        response: FinishPasskeyLoginResponseInput,
        idempotency_key: str | None = None,
    ) -> FinishPasskeyLoginResponse:
        """Sign in with a passkey. The answer sets the session cookie."""
        return self._call(
            Call[FinishPasskeyLoginResponse](
                "POST",
                "/v1/vat/auth/passkeys/login/verify",
                body={
                    "response": response,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_passkeys(
        self,
        *,
        human_ref: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListPasskeysResponse:
        """List passkeys. People see their own passkeys, operators those of every person in the tenant."""
        return self._call(
            Call[ListPasskeysResponse](
                "GET",
                "/v1/vat/auth/passkeys",
                query={
                    "human_ref": human_ref,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_passkeys(
        self,
        *,
        human_ref: str | None = None,
        limit: int | None = None,
    ) -> Iterator[FinishPasskeyResponse]:
        """Everything that `list_passkeys` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_passkeys(
                human_ref=human_ref,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def delete_passkey(
        self,
        id: str,
    ) -> DeletePasskeyResponse:
        """Delete a passkey. Ends every session of the person except the one that makes this call."""
        return self._call(
            Call[DeletePasskeyResponse](
                "DELETE",
                "/v1/vat/auth/passkeys/{}",
                path_values=(id,),
            )
        )

    def begin_key_passkey(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> BeginPasskeyResponse:
        """Start adding a passkey to your API key. In a session that began during the last five minutes
        (`sign_on_too_old` otherwise). The passkey then signs in to the dashboard in place of the key. The
        challenge works once, in this session, for three minutes.
        """
        return self._call(
            Call[BeginPasskeyResponse](
                "POST",
                "/v1/vat/auth/key-passkeys/options",
                idempotency_key=idempotency_key,
            )
        )

    def finish_key_passkey(
        self,
        *,
        response: FinishPasskeyResponseInput,
        name: str | None = None,
        idempotency_key: str | None = None,
    ) -> FinishKeyPasskeyResponse:
        """Add a passkey to your API key. User verification is required. A sign-in with the passkey gives a session
        of the key, so it has the role and the tenant of the key and ends with it. A key that replaces this one
        needs its own passkeys.
        """
        return self._call(
            Call[FinishKeyPasskeyResponse](
                "POST",
                "/v1/vat/auth/key-passkeys",
                body={
                    "response": response,
                    "name": name,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_key_passkeys(
        self,
    ) -> ListKeyPasskeysResponse:
        """List passkeys of API keys. Operators see those of all keys of the tenant, others those of their own key."""
        return self._call(
            Call[ListKeyPasskeysResponse](
                "GET",
                "/v1/vat/auth/key-passkeys",
            )
        )

    def sign_in_with_passkey(
        self,
        *,
        response: FinishPasskeyLoginResponseInput,
        idempotency_key: str | None = None,
    ) -> SignInWithKeyResponse:
        """Sign in with a passkey of an API key. Answers the challenge of `POST
        /v1/vat/auth/passkeys/login/options`. The response sets the session cookie. Refused when the key has
        ended. People sign in with theirs at `POST /v1/vat/auth/passkeys/login/verify`.
        """
        return self._call(
            Call[SignInWithKeyResponse](
                "POST",
                "/v1/vat/auth/sign-in/passkey",
                body={
                    "response": response,
                },
                idempotency_key=idempotency_key,
            )
        )

    def delete_key_passkey(
        self,
        id: str,
    ) -> DeletePasskeyResponse:
        """Delete a passkey of an API key. You can delete any passkey that you can list. Ends every session that
        began with it and every other session of its key. The session that makes this call stays open, unless it
        began with this passkey.
        """
        return self._call(
            Call[DeletePasskeyResponse](
                "DELETE",
                "/v1/vat/auth/key-passkeys/{}",
                path_values=(id,),
            )
        )

    def begin_step_up(
        self,
        *,
        operation: str,
        params: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> BeginStepUpResponse:
        """Start confirming a call with a passkey. Send the operation ID with the exact params, query and body of
        the call. The challenge is the SHA-256 digest of `bound_text`, which contains all of these, the session,
        the expiry and a random value. Show `words` to the person before they answer. The challenge works once,
        for three minutes.
        """
        return self._call(
            Call[BeginStepUpResponse](
                "POST",
                "/v1/vat/auth/step-up/options",
                body={
                    "operation": operation,
                    "params": params,
                    "query": query,
                    "body": body,
                },
                idempotency_key=idempotency_key,
            )
        )

    def finish_step_up(
        self,
        *,
        response: FinishPasskeyLoginResponseInput,
        idempotency_key: str | None = None,
    ) -> FinishStepUpResponse:
        """Confirm a call with a passkey. Then send the call with the header `Deputy-Step-Up: <grant>`. A grant
        works once, for that exact call, in this session, within five minutes.
        """
        return self._call(
            Call[FinishStepUpResponse](
                "POST",
                "/v1/vat/auth/step-up/verify",
                body={
                    "response": response,
                },
                idempotency_key=idempotency_key,
            )
        )

    def get_consent(
        self,
    ) -> GetConsentResponse:
        """Get the consent text of biometric verification. Show the text to the person before they enroll, and send
        its version with the session once they accept. When the text changes, people must accept it again at
        their next verification.
        """
        return self._call(
            Call[GetConsentResponse](
                "GET",
                "/v1/vat/auth/consent",
            )
        )

    def get_biometrics(
        self,
        human_ref: str,
    ) -> GetBiometricsResponse:
        """See whether a person is enrolled. The template itself is only in the export."""
        return self._call(
            Call[GetBiometricsResponse](
                "GET",
                "/v1/vat/auth/biometrics/{}",
                path_values=(human_ref,),
            )
        )

    def delete_biometrics(
        self,
        human_ref: str,
    ) -> DeleteBiometricsResponse:
        """Withdraw consent to biometric verification. Deletes the template, cancels open verification sessions,
        and revokes every L3 token that is based on it, with everything below. The person can enroll again.
        Deleting again changes nothing; repeat the call after a 503.
        """
        return self._call(
            Call[DeleteBiometricsResponse](
                "DELETE",
                "/v1/vat/auth/biometrics/{}",
                path_values=(human_ref,),
            )
        )

    def export_biometrics(
        self,
        human_ref: str,
    ) -> ExportBiometricsResponse:
        """Export the biometric data of a person. Only the person gets this. `template.face` and each field of
        `template.voice` are float32 numbers, little-endian, in base64. Operators can delete a template but not
        read it.
        """
        return self._call(
            Call[ExportBiometricsResponse](
                "GET",
                "/v1/vat/auth/biometrics/{}/export",
                path_values=(human_ref,),
            )
        )

    def set_duress(
        self,
        *,
        contacts: Sequence[str],
        word: str | None = None,
        gesture: Literal["thumbs_up", "victory", "open_palm", "point_up"] | None = None,
        human_ref: str | None = None,
        verification_id: str | None = None,
    ) -> SetDuressResponse:
        """Set your sign of coercion. A word that you say after the digits, or a gesture that you show, in a
        verification. It then looks like any other success, but everything the token does that spends or changes
        something is held for review, and your contacts are notified. The sign is never shown again. In keyed
        mode the call needs a fresh passkey: send it with a step-up grant.
        """
        return self._call(
            Call[SetDuressResponse](
                "PUT",
                "/v1/vat/auth/duress",
                body={
                    "word": word,
                    "gesture": gesture,
                    "contacts": contacts,
                    "human_ref": human_ref,
                    "verification_id": verification_id,
                },
            )
        )

    def delete_duress(
        self,
        *,
        human_ref: str | None = None,
        verification_id: str | None = None,
    ) -> SetDuressResponse:
        """Remove your sign of coercion. The response is the same whether or not a sign was set. In keyed mode the
        call needs a fresh passkey: send it with a step-up grant.
        """
        return self._call(
            Call[SetDuressResponse](
                "DELETE",
                "/v1/vat/auth/duress",
                query={
                    "human_ref": human_ref,
                    "verification_id": verification_id,
                },
            )
        )

    def list_duress_alerts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListDuressAlertsResponse:
        """List alerts about coercion. Newest first, for the safety desk only. A page can hold fewer entries than
        `limit`: continue while `has_more` is true.
        """
        return self._call(
            Call[ListDuressAlertsResponse](
                "GET",
                "/v1/vat/auth/duress-alerts",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_duress_alerts(
        self,
        *,
        limit: int | None = None,
    ) -> Iterator[ResolveDuressAlertResponse]:
        """Everything that `list_duress_alerts` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_duress_alerts(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def resolve_duress_alert(
        self,
        id: str,
        *,
        outcome: Literal["safe", "revoke"],
        note: str | None = None,
        idempotency_key: str | None = None,
    ) -> ResolveDuressAlertResponse:
        """Resolve an alert about coercion. `safe` releases the token: nothing is held for review from then on.
        `revoke` revokes it, the one that it renews and everything below them. The log does not say why.
        """
        return self._call(
            Call[ResolveDuressAlertResponse](
                "POST",
                "/v1/vat/auth/duress-alerts/{}/resolve",
                path_values=(id,),
                body={
                    "outcome": outcome,
                    "note": note,
                },
                idempotency_key=idempotency_key,
            )
        )


class _AsyncPeople(AsyncTransport):
    """Passkeys and sessions of signed-in people."""

    async def get_me(
        self,
    ) -> GetMeResponse:
        """Get the caller. Who you are with this credential or in this session, and what you may call. Fields about
        a person are present only for a signed-in person.
        """
        return await self._call(
            Call[GetMeResponse](
                "GET",
                "/v1/vat/auth/me",
            )
        )

    async def sign_in_with_key(
        self,
        *,
        key: str,
        idempotency_key: str | None = None,
    ) -> SignInWithKeyResponse:
        """Sign in with an API key. Exchanges the key of an operator, a developer or an auditor for a session of
        the same role and tenant, for work in a browser. The response sets the session cookie. The session ends
        with its key, after 30 minutes without a request, and after 8 hours at the latest.
        """
        return await self._call(
            Call[SignInWithKeyResponse](
                "POST",
                "/v1/vat/auth/sign-in/key",
                body={
                    "key": key,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_sign_ins(
        self,
        *,
        human_ref: str | None = None,
    ) -> ListSignInsResponse:
        """List sessions. Sessions that are open, newest first. People see their own, developers and auditors those
        of their key, and operators all sessions with API keys of the tenant, or those of one person.
        """
        return await self._call(
            Call[ListSignInsResponse](
                "GET",
                "/v1/vat/auth/sign-ins",
                query={
                    "human_ref": human_ref,
                },
            )
        )

    async def end_sign_in(
        self,
        session_id: str,
    ) -> EndSignInResponse:
        """End a session. Any session that you can list. Its browser has to sign in again."""
        return await self._call(
            Call[EndSignInResponse](
                "DELETE",
                "/v1/vat/auth/sign-ins/{}",
                path_values=(session_id,),
            )
        )

    async def log_out(
        self,
        *,
        everywhere: bool | None = None,
        idempotency_key: str | None = None,
    ) -> LogOutResponse:
        """Sign out. Ends the session of this call. A program that sends its API key has none, and can end the
        sessions of the key with `everywhere`.
        """
        return await self._call(
            Call[LogOutResponse](
                "POST",
                "/v1/vat/auth/logout",
                body={
                    "everywhere": everywhere,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def begin_passkey(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> BeginPasskeyResponse:
        """Start registering a passkey. For a person who signed in during the last five minutes, or who confirms
        the call with a passkey they have (`sign_on_too_old` otherwise). The challenge works once, in this
        session, for three minutes.
        """
        return await self._call(
            Call[BeginPasskeyResponse](
                "POST",
                "/v1/vat/auth/passkeys/register/options",
                idempotency_key=idempotency_key,
            )
        )

    async def finish_passkey(
        self,
        *,
        response: FinishPasskeyResponseInput,
        name: str | None = None,
        idempotency_key: str | None = None,
    ) -> FinishPasskeyResponse:
        """Register a passkey. User verification is required. Signing in with the passkey gives the assurance level
        of the session in which it was registered, never more.
        """
        return await self._call(
            Call[FinishPasskeyResponse](
                "POST",
                "/v1/vat/auth/passkeys/register/verify",
                body={
                    "response": response,
                    "name": name,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def begin_passkey_login(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> BeginPasskeyResponse:
        """Start signing in with a passkey. The request names no person: the browser lets them choose one of their
        passkeys.
        """
        return await self._call(
            Call[BeginPasskeyResponse](
                "POST",
                "/v1/vat/auth/passkeys/login/options",
                idempotency_key=idempotency_key,
            )
        )

    async def finish_passkey_login(
        self,
        *,
        response: FinishPasskeyLoginResponseInput,
        idempotency_key: str | None = None,
    ) -> FinishPasskeyLoginResponse:
        """Sign in with a passkey. The answer sets the session cookie."""
        return await self._call(
            Call[FinishPasskeyLoginResponse](
                "POST",
                "/v1/vat/auth/passkeys/login/verify",
                body={
                    "response": response,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_passkeys(
        self,
        *,
        human_ref: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListPasskeysResponse:
        """List passkeys. People see their own passkeys, operators those of every person in the tenant."""
        return await self._call(
            Call[ListPasskeysResponse](
                "GET",
                "/v1/vat/auth/passkeys",
                query={
                    "human_ref": human_ref,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_passkeys(
        self,
        *,
        human_ref: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[FinishPasskeyResponse]:
        """Everything that `list_passkeys` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_passkeys(
                human_ref=human_ref,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def delete_passkey(
        self,
        id: str,
    ) -> DeletePasskeyResponse:
        """Delete a passkey. Ends every session of the person except the one that makes this call."""
        return await self._call(
            Call[DeletePasskeyResponse](
                "DELETE",
                "/v1/vat/auth/passkeys/{}",
                path_values=(id,),
            )
        )

    async def begin_key_passkey(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> BeginPasskeyResponse:
        """Start adding a passkey to your API key. In a session that began during the last five minutes
        (`sign_on_too_old` otherwise). The passkey then signs in to the dashboard in place of the key. The
        challenge works once, in this session, for three minutes.
        """
        return await self._call(
            Call[BeginPasskeyResponse](
                "POST",
                "/v1/vat/auth/key-passkeys/options",
                idempotency_key=idempotency_key,
            )
        )

    async def finish_key_passkey(
        self,
        *,
        response: FinishPasskeyResponseInput,
        name: str | None = None,
        idempotency_key: str | None = None,
    ) -> FinishKeyPasskeyResponse:
        """Add a passkey to your API key. User verification is required. A sign-in with the passkey gives a session
        of the key, so it has the role and the tenant of the key and ends with it. A key that replaces this one
        needs its own passkeys.
        """
        return await self._call(
            Call[FinishKeyPasskeyResponse](
                "POST",
                "/v1/vat/auth/key-passkeys",
                body={
                    "response": response,
                    "name": name,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_key_passkeys(
        self,
    ) -> ListKeyPasskeysResponse:
        """List passkeys of API keys. Operators see those of all keys of the tenant, others those of their own key."""
        return await self._call(
            Call[ListKeyPasskeysResponse](
                "GET",
                "/v1/vat/auth/key-passkeys",
            )
        )

    async def sign_in_with_passkey(
        self,
        *,
        response: FinishPasskeyLoginResponseInput,
        idempotency_key: str | None = None,
    ) -> SignInWithKeyResponse:
        """Sign in with a passkey of an API key. Answers the challenge of `POST
        /v1/vat/auth/passkeys/login/options`. The response sets the session cookie. Refused when the key has
        ended. People sign in with theirs at `POST /v1/vat/auth/passkeys/login/verify`.
        """
        return await self._call(
            Call[SignInWithKeyResponse](
                "POST",
                "/v1/vat/auth/sign-in/passkey",
                body={
                    "response": response,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def delete_key_passkey(
        self,
        id: str,
    ) -> DeletePasskeyResponse:
        """Delete a passkey of an API key. You can delete any passkey that you can list. Ends every session that
        began with it and every other session of its key. The session that makes this call stays open, unless it
        began with this passkey.
        """
        return await self._call(
            Call[DeletePasskeyResponse](
                "DELETE",
                "/v1/vat/auth/key-passkeys/{}",
                path_values=(id,),
            )
        )

    async def begin_step_up(
        self,
        *,
        operation: str,
        params: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> BeginStepUpResponse:
        """Start confirming a call with a passkey. Send the operation ID with the exact params, query and body of
        the call. The challenge is the SHA-256 digest of `bound_text`, which contains all of these, the session,
        the expiry and a random value. Show `words` to the person before they answer. The challenge works once,
        for three minutes.
        """
        return await self._call(
            Call[BeginStepUpResponse](
                "POST",
                "/v1/vat/auth/step-up/options",
                body={
                    "operation": operation,
                    "params": params,
                    "query": query,
                    "body": body,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def finish_step_up(
        self,
        *,
        response: FinishPasskeyLoginResponseInput,
        idempotency_key: str | None = None,
    ) -> FinishStepUpResponse:
        """Confirm a call with a passkey. Then send the call with the header `Deputy-Step-Up: <grant>`. A grant
        works once, for that exact call, in this session, within five minutes.
        """
        return await self._call(
            Call[FinishStepUpResponse](
                "POST",
                "/v1/vat/auth/step-up/verify",
                body={
                    "response": response,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def get_consent(
        self,
    ) -> GetConsentResponse:
        """Get the consent text of biometric verification. Show the text to the person before they enroll, and send
        its version with the session once they accept. When the text changes, people must accept it again at
        their next verification.
        """
        return await self._call(
            Call[GetConsentResponse](
                "GET",
                "/v1/vat/auth/consent",
            )
        )

    async def get_biometrics(
        self,
        human_ref: str,
    ) -> GetBiometricsResponse:
        """See whether a person is enrolled. The template itself is only in the export."""
        return await self._call(
            Call[GetBiometricsResponse](
                "GET",
                "/v1/vat/auth/biometrics/{}",
                path_values=(human_ref,),
            )
        )

    async def delete_biometrics(
        self,
        human_ref: str,
    ) -> DeleteBiometricsResponse:
        """Withdraw consent to biometric verification. Deletes the template, cancels open verification sessions,
        and revokes every L3 token that is based on it, with everything below. The person can enroll again.
        Deleting again changes nothing; repeat the call after a 503.
        """
        return await self._call(
            Call[DeleteBiometricsResponse](
                "DELETE",
                "/v1/vat/auth/biometrics/{}",
                path_values=(human_ref,),
            )
        )

    async def export_biometrics(
        self,
        human_ref: str,
    ) -> ExportBiometricsResponse:
        """Export the biometric data of a person. Only the person gets this. `template.face` and each field of
        `template.voice` are float32 numbers, little-endian, in base64. Operators can delete a template but not
        read it.
        """
        return await self._call(
            Call[ExportBiometricsResponse](
                "GET",
                "/v1/vat/auth/biometrics/{}/export",
                path_values=(human_ref,),
            )
        )

    async def set_duress(
        self,
        *,
        contacts: Sequence[str],
        word: str | None = None,
        gesture: Literal["thumbs_up", "victory", "open_palm", "point_up"] | None = None,
        human_ref: str | None = None,
        verification_id: str | None = None,
    ) -> SetDuressResponse:
        """Set your sign of coercion. A word that you say after the digits, or a gesture that you show, in a
        verification. It then looks like any other success, but everything the token does that spends or changes
        something is held for review, and your contacts are notified. The sign is never shown again. In keyed
        mode the call needs a fresh passkey: send it with a step-up grant.
        """
        return await self._call(
            Call[SetDuressResponse](
                "PUT",
                "/v1/vat/auth/duress",
                body={
                    "word": word,
                    "gesture": gesture,
                    "contacts": contacts,
                    "human_ref": human_ref,
                    "verification_id": verification_id,
                },
            )
        )

    async def delete_duress(
        self,
        *,
        human_ref: str | None = None,
        verification_id: str | None = None,
    ) -> SetDuressResponse:
        """Remove your sign of coercion. The response is the same whether or not a sign was set. In keyed mode the
        call needs a fresh passkey: send it with a step-up grant.
        """
        return await self._call(
            Call[SetDuressResponse](
                "DELETE",
                "/v1/vat/auth/duress",
                query={
                    "human_ref": human_ref,
                    "verification_id": verification_id,
                },
            )
        )

    async def list_duress_alerts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListDuressAlertsResponse:
        """List alerts about coercion. Newest first, for the safety desk only. A page can hold fewer entries than
        `limit`: continue while `has_more` is true.
        """
        return await self._call(
            Call[ListDuressAlertsResponse](
                "GET",
                "/v1/vat/auth/duress-alerts",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_duress_alerts(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncIterator[ResolveDuressAlertResponse]:
        """Everything that `list_duress_alerts` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_duress_alerts(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def resolve_duress_alert(
        self,
        id: str,
        *,
        outcome: Literal["safe", "revoke"],
        note: str | None = None,
        idempotency_key: str | None = None,
    ) -> ResolveDuressAlertResponse:
        """Resolve an alert about coercion. `safe` releases the token: nothing is held for review from then on.
        `revoke` revokes it, the one that it renews and everything below them. The log does not say why.
        """
        return await self._call(
            Call[ResolveDuressAlertResponse](
                "POST",
                "/v1/vat/auth/duress-alerts/{}/resolve",
                path_values=(id,),
                body={
                    "outcome": outcome,
                    "note": note,
                },
                idempotency_key=idempotency_key,
            )
        )


class _Notifications(Transport):
    """How approval requests and alerts reach people."""

    def get_notifications(
        self,
    ) -> GetNotificationsResponse:
        """Get your channels and settings. A signed-in person gets their own. An operator gets those of the tenant,
        which carry the approval requests and alerts of everyone in it.
        """
        return self._call(
            Call[GetNotificationsResponse](
                "GET",
                "/v1/vat/notifications",
            )
        )

    def set_notifications(
        self,
        *,
        time_zone: str | None = None,
        quiet_hours: ConstraintsActiveHoursInput | None = None,
    ) -> GetNotificationsResponse:
        """Set your time zone and quiet hours. Replaces both. A setting that is left out is removed. Channels stay
        as they are.
        """
        return self._call(
            Call[GetNotificationsResponse](
                "PUT",
                "/v1/vat/notifications",
                body={
                    "time_zone": time_zone,
                    "quiet_hours": quiet_hours,
                },
            )
        )

    def add_channel(
        self,
        *,
        kind: Literal["email", "push", "slack", "teams", "webhook"],
        name: str | None = None,
        about: Sequence[Literal["questions", "alerts", "suspensions", "webhooks"]] | None = None,
        address: str | None = None,
        url: str | None = None,
        subscription: AddChannelSubscriptionInput | None = None,
        idempotency_key: str | None = None,
    ) -> AddChannelResponse:
        """Add a channel. An email address that your sign-in has proved is active immediately. Any other address is
        sent a code, and the channel is active once you confirm it with the code. The secret that signs the
        messages of a webhook is shown only in this response.
        """
        return self._call(
            Call[AddChannelResponse](
                "POST",
                "/v1/vat/notifications/channels",
                body={
                    "kind": kind,
                    "name": name,
                    "about": about,
                    "address": address,
                    "url": url,
                    "subscription": subscription,
                },
                idempotency_key=idempotency_key,
            )
        )

    def confirm_channel(
        self,
        channel_id: str,
        *,
        code: str,
        idempotency_key: str | None = None,
    ) -> ConfirmChannelResponse:
        """Confirm an email address. The code is valid for 15 minutes and five attempts. To get another one, remove
        the channel and add it again.
        """
        return self._call(
            Call[ConfirmChannelResponse](
                "POST",
                "/v1/vat/notifications/channels/{}/confirm",
                path_values=(channel_id,),
                body={
                    "code": code,
                },
                idempotency_key=idempotency_key,
            )
        )

    def test_channel(
        self,
        channel_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> TestChannelResponse:
        """Send a test message. Sends the message now, even in quiet hours, and waits for the response of the
        receiver.
        """
        return self._call(
            Call[TestChannelResponse](
                "POST",
                "/v1/vat/notifications/channels/{}/test",
                path_values=(channel_id,),
                idempotency_key=idempotency_key,
            )
        )

    def remove_channel(
        self,
        channel_id: str,
    ) -> RemoveChannelResponse:
        """Remove a channel. Messages that have not been sent yet are dropped."""
        return self._call(
            Call[RemoveChannelResponse](
                "DELETE",
                "/v1/vat/notifications/channels/{}",
                path_values=(channel_id,),
            )
        )


class _AsyncNotifications(AsyncTransport):
    """How approval requests and alerts reach people."""

    async def get_notifications(
        self,
    ) -> GetNotificationsResponse:
        """Get your channels and settings. A signed-in person gets their own. An operator gets those of the tenant,
        which carry the approval requests and alerts of everyone in it.
        """
        return await self._call(
            Call[GetNotificationsResponse](
                "GET",
                "/v1/vat/notifications",
            )
        )

    async def set_notifications(
        self,
        *,
        time_zone: str | None = None,
        quiet_hours: ConstraintsActiveHoursInput | None = None,
    ) -> GetNotificationsResponse:
        """Set your time zone and quiet hours. Replaces both. A setting that is left out is removed. Channels stay
        as they are.
        """
        return await self._call(
            Call[GetNotificationsResponse](
                "PUT",
                "/v1/vat/notifications",
                body={
                    "time_zone": time_zone,
                    "quiet_hours": quiet_hours,
                },
            )
        )

    async def add_channel(
        self,
        *,
        kind: Literal["email", "push", "slack", "teams", "webhook"],
        name: str | None = None,
        about: Sequence[Literal["questions", "alerts", "suspensions", "webhooks"]] | None = None,
        address: str | None = None,
        url: str | None = None,
        subscription: AddChannelSubscriptionInput | None = None,
        idempotency_key: str | None = None,
    ) -> AddChannelResponse:
        """Add a channel. An email address that your sign-in has proved is active immediately. Any other address is
        sent a code, and the channel is active once you confirm it with the code. The secret that signs the
        messages of a webhook is shown only in this response.
        """
        return await self._call(
            Call[AddChannelResponse](
                "POST",
                "/v1/vat/notifications/channels",
                body={
                    "kind": kind,
                    "name": name,
                    "about": about,
                    "address": address,
                    "url": url,
                    "subscription": subscription,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def confirm_channel(
        self,
        channel_id: str,
        *,
        code: str,
        idempotency_key: str | None = None,
    ) -> ConfirmChannelResponse:
        """Confirm an email address. The code is valid for 15 minutes and five attempts. To get another one, remove
        the channel and add it again.
        """
        return await self._call(
            Call[ConfirmChannelResponse](
                "POST",
                "/v1/vat/notifications/channels/{}/confirm",
                path_values=(channel_id,),
                body={
                    "code": code,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def test_channel(
        self,
        channel_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> TestChannelResponse:
        """Send a test message. Sends the message now, even in quiet hours, and waits for the response of the
        receiver.
        """
        return await self._call(
            Call[TestChannelResponse](
                "POST",
                "/v1/vat/notifications/channels/{}/test",
                path_values=(channel_id,),
                idempotency_key=idempotency_key,
            )
        )

    async def remove_channel(
        self,
        channel_id: str,
    ) -> RemoveChannelResponse:
        """Remove a channel. Messages that have not been sent yet are dropped."""
        return await self._call(
            Call[RemoveChannelResponse](
                "DELETE",
                "/v1/vat/notifications/channels/{}",
                path_values=(channel_id,),
            )
        )


class _Biometrics(Transport):
    """Verify people by face, voice and gestures (L3)."""

    def create_verification_session(
        self,
        *,
        purpose: Literal["enroll", "verify"],
        human_ref: str | None = None,
        developer_email: str | None = None,
        accommodations: Sequence[Literal["no_voice", "no_hand", "no_flash"]] | None = None,
        locale: Literal["en", "de"] | None = None,
        consent: CreateVerificationSessionConsentInput | None = None,
        idempotency_key: str | None = None,
    ) -> CreateVerificationSessionResponse:
        """Start a biometric verification. Opens a session of three minutes that works once. Show `step` to the
        person, record, and send the recording to POST /v1/vat/auth/sessions/{id}/steps; the response reveals
        the next step. Then finish with POST /v1/vat/auth/capture or POST /v1/vat/auth/enroll. In this session
        only, the nonce replaces your credential, so a device without a credential can answer. The first session
        starts to download the engine; until it is ready, the call returns `engine_unavailable`.
        """
        return self._call(
            Call[CreateVerificationSessionResponse](
                "POST",
                "/v1/vat/auth/sessions",
                body={
                    "purpose": purpose,
                    "human_ref": human_ref,
                    "developer_email": developer_email,
                    "accommodations": accommodations,
                    "locale": locale,
                    "consent": consent,
                },
                idempotency_key=idempotency_key,
            )
        )

    def answer_step(
        self,
        id: str,
        *,
        nonce: str,
        step_id: str,
        frames: Sequence[AnswerStepFramesItemInput],
        audio: AnswerStepAudioInput | None = None,
        device: AnswerStepDeviceInput | None = None,
        idempotency_key: str | None = None,
    ) -> AnswerStepResponse:
        """Answer a step. Send the recording of the step that was revealed last. If the recording is not good
        enough, the step is asked again with another task, at most twice. Sending the same recording again
        returns the same response. The media is judged immediately and not stored.
        """
        return self._call(
            Call[AnswerStepResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/steps",
                path_values=(id,),
                body={
                    "nonce": nonce,
                    "step_id": step_id,
                    "frames": frames,
                    "audio": audio,
                    "device": device,
                },
                idempotency_key=idempotency_key,
            )
        )

    def begin_session_passkey(
        self,
        id: str,
        *,
        nonce: str,
        agent_id: str | None = None,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        purpose: str | None = None,
        approval_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> BeginSessionPasskeyResponse:
        """Get a passkey challenge for a session. Call this after the last step. The challenge is the SHA-256
        digest of `bound_text`: the canonical JSON of the session ID, the nonce, the digest of every recording
        and the digest of the token request. So the passkey confirms this capture and this token. Send the token
        request that you will send to capture. For an enrollment of a person without a passkey the options
        create one.
        """
        return self._call(
            Call[BeginSessionPasskeyResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/passkey",
                path_values=(id,),
                body={
                    "nonce": nonce,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "agent_jwk": agent_jwk,
                    "policy_assertions": policy_assertions,
                    "purpose": purpose,
                    "approval_id": approval_id,
                },
                idempotency_key=idempotency_key,
            )
        )

    def get_verification_session(
        self,
        id: str,
    ) -> GetVerificationSessionResponse:
        """Get a verification session. Returns its state, never its steps or its nonce. A session is deleted some
        minutes after it ends.
        """
        return self._call(
            Call[GetVerificationSessionResponse](
                "GET",
                "/v1/vat/auth/sessions/{}",
                path_values=(id,),
            )
        )

    def cancel_verification_session(
        self,
        id: str,
        *,
        nonce: str | None = None,
        client_token: str | None = None,
        idempotency_key: str | None = None,
    ) -> CancelVerificationSessionResponse:
        """Cancel a verification session. The session accepts no more answers. Cancelling again changes nothing. A
        judged session stays judged. To cancel a hosted session, send its client token.
        """
        return self._call(
            Call[CancelVerificationSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/cancel",
                path_values=(id,),
                body={
                    "nonce": nonce,
                    "client_token": client_token,
                },
                idempotency_key=idempotency_key,
            )
        )

    def create_hosted_session(
        self,
        *,
        purpose: Literal["enroll", "verify"],
        human_ref: str | None = None,
        developer_email: str | None = None,
        request: CreateHostedSessionRequestInput | None = None,
        approval_id: str | None = None,
        accommodations: Sequence[Literal["no_voice", "no_hand", "no_flash"]] | None = None,
        locale: Literal["en", "de"] | None = None,
        provider: str | None = None,
        return_url: str | None = None,
        expires_in: int | None = None,
        idempotency_key: str | None = None,
    ) -> CreateHostedSessionResponse:
        """Create a hosted verification session. Send the person to `url`, or pass `session_id` and `client_token`
        to the widget. The session waits fifteen minutes; the capture itself has three minutes from when a
        device opens it. A capture that does not pass can be tried again while the session waits. With
        `request`, the holder of the client token collects the token (POST /v1/vat/auth/sessions/{id}/collect).
        A token that could not be issued is refused here and when a device opens the session, so that nobody is
        verified in vain. The device never gets the token, and the person reads what they confirm before the
        camera starts.
        """
        return self._call(
            Call[CreateHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/hosted",
                body={
                    "purpose": purpose,
                    "human_ref": human_ref,
                    "developer_email": developer_email,
                    "request": request,
                    "approval_id": approval_id,
                    "accommodations": accommodations,
                    "locale": locale,
                    "provider": provider,
                    "return_url": return_url,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )

    def preview_hosted_session(
        self,
        id: str,
        *,
        client_token: str | None = None,
        transfer_code: str | None = None,
        nonce: str | None = None,
        idempotency_key: str | None = None,
    ) -> PreviewHostedSessionResponse:
        """Show what a person is about to confirm. Who asks, for which agent, and what it may do: show it before
        you open the session. A transfer code stays valid. A device that opened the session and lost its page
        calls with its nonce.
        """
        return self._call(
            Call[PreviewHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/preview",
                path_values=(id,),
                body={
                    "client_token": client_token,
                    "transfer_code": transfer_code,
                    "nonce": nonce,
                },
                idempotency_key=idempotency_key,
            )
        )

    def open_hosted_session(
        self,
        id: str,
        *,
        client_token: str | None = None,
        transfer_code: str | None = None,
        nonce: str | None = None,
        device_key: str | None = None,
        accommodations: Sequence[Literal["no_voice", "no_hand", "no_flash"]] | None = None,
        locale: Literal["en", "de"] | None = None,
        consent: CreateVerificationSessionConsentInput | None = None,
        idempotency_key: str | None = None,
    ) -> OpenHostedSessionResponse:
        """Open a hosted session on this device. The session belongs to the first device that opens it; others get
        `session_taken`. After a capture that did not pass or was interrupted, that device starts again with its
        `nonce`. Send a `device_key`, so that a device that misses the response can open the session again.
        Repeated while the first call is still under way, the call gets the same response. A session can be
        opened five times. The response is the same as for POST /v1/vat/auth/sessions, and so are the calls
        after it; send no token request with them.
        """
        return self._call(
            Call[OpenHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/open",
                path_values=(id,),
                body={
                    "client_token": client_token,
                    "transfer_code": transfer_code,
                    "nonce": nonce,
                    "device_key": device_key,
                    "accommodations": accommodations,
                    "locale": locale,
                    "consent": consent,
                },
                idempotency_key=idempotency_key,
            )
        )

    def transfer_hosted_session(
        self,
        id: str,
        *,
        client_token: str,
        idempotency_key: str | None = None,
    ) -> TransferHostedSessionResponse:
        """Move a hosted session to a phone. Show `url` as a QR code. The code works once and for two minutes; a
        new one replaces it. Once the phone has opened the session, this device only watches.
        """
        return self._call(
            Call[TransferHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/transfer",
                path_values=(id,),
                body={
                    "client_token": client_token,
                },
                idempotency_key=idempotency_key,
            )
        )

    def watch_hosted_session(
        self,
        id: str,
        *,
        client_token: str | None = None,
        nonce: str | None = None,
        after: str | None = None,
        idempotency_key: str | None = None,
    ) -> WatchHostedSessionResponse:
        """Watch a hosted session. Without `after`, the call returns immediately. With it, the call waits up to 25
        seconds for a change, or returns immediately if too many calls are waiting. The device that has opened
        the session watches with its nonce.
        """
        return self._call(
            Call[WatchHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/watch",
                path_values=(id,),
                body={
                    "client_token": client_token,
                    "nonce": nonce,
                    "after": after,
                },
                idempotency_key=idempotency_key,
            )
        )

    def collect_hosted_session(
        self,
        id: str,
        *,
        client_token: str,
        idempotency_key: str | None = None,
    ) -> CollectHostedSessionResponse:
        """Collect the result of a hosted session. Returns the result, and the token if one was requested and the
        person was verified. Collect within ten minutes of the verification. The token can be collected once:
        repeating the call returns the same token for a minute, then `session_closed`.
        """
        return self._call(
            Call[CollectHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/collect",
                path_values=(id,),
                body={
                    "client_token": client_token,
                },
                idempotency_key=idempotency_key,
            )
        )

    def capture(
        self,
        *,
        session_id: str,
        nonce: str,
        step_id: str | None = None,
        frames: Sequence[AnswerStepFramesItemInput] | None = None,
        audio: AnswerStepAudioInput | None = None,
        device: AnswerStepDeviceInput | None = None,
        passkey: FinishPasskeyLoginResponseInput | None = None,
        agent_id: str | None = None,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        purpose: str | None = None,
        approval_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> CaptureResponse:
        """Judge a verification, and issue a root token (L3). Finishes a session for `verify`. The recording of the
        last step can be sent in the same call. If the person is verified and you send `agent_id`, `resources`
        and `actions`, the response contains a token. If the person is not verified, `passed` is false; this is
        not an error. Repeating the call returns the same response, and the token for ten minutes.
        """
        return self._call(
            Call[CaptureResponse](
                "POST",
                "/v1/vat/auth/capture",
                body={
                    "session_id": session_id,
                    "nonce": nonce,
                    "step_id": step_id,
                    "frames": frames,
                    "audio": audio,
                    "device": device,
                    "passkey": passkey,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "agent_jwk": agent_jwk,
                    "policy_assertions": policy_assertions,
                    "purpose": purpose,
                    "approval_id": approval_id,
                },
                idempotency_key=idempotency_key,
            )
        )

    def enroll(
        self,
        *,
        session_id: str,
        nonce: str,
        step_id: str | None = None,
        frames: Sequence[AnswerStepFramesItemInput] | None = None,
        audio: AnswerStepAudioInput | None = None,
        device: AnswerStepDeviceInput | None = None,
        passkey: FinishPasskeyLoginResponseInput | None = None,
        passkey_registration: FinishPasskeyResponseInput | None = None,
        idempotency_key: str | None = None,
    ) -> EnrollResponse:
        """Enroll a person. Finishes a session for `enroll` and stores an encrypted template, never the media. The
        first enrollment of a person wins: a later one must match it. A person without a passkey creates one
        here (`passkey_registration`); a person who has one confirms with it (`passkey`).
        """
        return self._call(
            Call[EnrollResponse](
                "POST",
                "/v1/vat/auth/enroll",
                body={
                    "session_id": session_id,
                    "nonce": nonce,
                    "step_id": step_id,
                    "frames": frames,
                    "audio": audio,
                    "device": device,
                    "passkey": passkey,
                    "passkey_registration": passkey_registration,
                },
                idempotency_key=idempotency_key,
            )
        )

    def get_verification(
        self,
        id: str,
    ) -> GetVerificationResponse:
        """Get a verification. Operators and auditors also see scores and measured values."""
        return self._call(
            Call[GetVerificationResponse](
                "GET",
                "/v1/vat/auth/verifications/{}",
                path_values=(id,),
            )
        )

    def list_verifications(
        self,
        *,
        human_ref: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListVerificationsResponse:
        """List verifications. Newest first. People see their own, staff those of the tenant."""
        return self._call(
            Call[ListVerificationsResponse](
                "GET",
                "/v1/vat/auth/verifications",
                query={
                    "human_ref": human_ref,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_verifications(
        self,
        *,
        human_ref: str | None = None,
        limit: int | None = None,
    ) -> Iterator[GetVerificationResponse]:
        """Everything that `list_verifications` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_verifications(
                human_ref=human_ref,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_engine(
        self,
    ) -> GetEngineResponse:
        """Get the state of the verification engine."""
        return self._call(
            Call[GetEngineResponse](
                "GET",
                "/v1/vat/auth/engine",
            )
        )

    def install_engine(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> GetEngineResponse:
        """Fetch the verification engine. Starts to fetch the models and returns at once. Poll GET
        /v1/vat/auth/engine.
        """
        return self._call(
            Call[GetEngineResponse](
                "POST",
                "/v1/vat/auth/engine/install",
                idempotency_key=idempotency_key,
            )
        )


class _AsyncBiometrics(AsyncTransport):
    """Verify people by face, voice and gestures (L3)."""

    async def create_verification_session(
        self,
        *,
        purpose: Literal["enroll", "verify"],
        human_ref: str | None = None,
        developer_email: str | None = None,
        accommodations: Sequence[Literal["no_voice", "no_hand", "no_flash"]] | None = None,
        locale: Literal["en", "de"] | None = None,
        consent: CreateVerificationSessionConsentInput | None = None,
        idempotency_key: str | None = None,
    ) -> CreateVerificationSessionResponse:
        """Start a biometric verification. Opens a session of three minutes that works once. Show `step` to the
        person, record, and send the recording to POST /v1/vat/auth/sessions/{id}/steps; the response reveals
        the next step. Then finish with POST /v1/vat/auth/capture or POST /v1/vat/auth/enroll. In this session
        only, the nonce replaces your credential, so a device without a credential can answer. The first session
        starts to download the engine; until it is ready, the call returns `engine_unavailable`.
        """
        return await self._call(
            Call[CreateVerificationSessionResponse](
                "POST",
                "/v1/vat/auth/sessions",
                body={
                    "purpose": purpose,
                    "human_ref": human_ref,
                    "developer_email": developer_email,
                    "accommodations": accommodations,
                    "locale": locale,
                    "consent": consent,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def answer_step(
        self,
        id: str,
        *,
        nonce: str,
        step_id: str,
        frames: Sequence[AnswerStepFramesItemInput],
        audio: AnswerStepAudioInput | None = None,
        device: AnswerStepDeviceInput | None = None,
        idempotency_key: str | None = None,
    ) -> AnswerStepResponse:
        """Answer a step. Send the recording of the step that was revealed last. If the recording is not good
        enough, the step is asked again with another task, at most twice. Sending the same recording again
        returns the same response. The media is judged immediately and not stored.
        """
        return await self._call(
            Call[AnswerStepResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/steps",
                path_values=(id,),
                body={
                    "nonce": nonce,
                    "step_id": step_id,
                    "frames": frames,
                    "audio": audio,
                    "device": device,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def begin_session_passkey(
        self,
        id: str,
        *,
        nonce: str,
        agent_id: str | None = None,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        purpose: str | None = None,
        approval_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> BeginSessionPasskeyResponse:
        """Get a passkey challenge for a session. Call this after the last step. The challenge is the SHA-256
        digest of `bound_text`: the canonical JSON of the session ID, the nonce, the digest of every recording
        and the digest of the token request. So the passkey confirms this capture and this token. Send the token
        request that you will send to capture. For an enrollment of a person without a passkey the options
        create one.
        """
        return await self._call(
            Call[BeginSessionPasskeyResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/passkey",
                path_values=(id,),
                body={
                    "nonce": nonce,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "agent_jwk": agent_jwk,
                    "policy_assertions": policy_assertions,
                    "purpose": purpose,
                    "approval_id": approval_id,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def get_verification_session(
        self,
        id: str,
    ) -> GetVerificationSessionResponse:
        """Get a verification session. Returns its state, never its steps or its nonce. A session is deleted some
        minutes after it ends.
        """
        return await self._call(
            Call[GetVerificationSessionResponse](
                "GET",
                "/v1/vat/auth/sessions/{}",
                path_values=(id,),
            )
        )

    async def cancel_verification_session(
        self,
        id: str,
        *,
        nonce: str | None = None,
        client_token: str | None = None,
        idempotency_key: str | None = None,
    ) -> CancelVerificationSessionResponse:
        """Cancel a verification session. The session accepts no more answers. Cancelling again changes nothing. A
        judged session stays judged. To cancel a hosted session, send its client token.
        """
        return await self._call(
            Call[CancelVerificationSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/cancel",
                path_values=(id,),
                body={
                    "nonce": nonce,
                    "client_token": client_token,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def create_hosted_session(
        self,
        *,
        purpose: Literal["enroll", "verify"],
        human_ref: str | None = None,
        developer_email: str | None = None,
        request: CreateHostedSessionRequestInput | None = None,
        approval_id: str | None = None,
        accommodations: Sequence[Literal["no_voice", "no_hand", "no_flash"]] | None = None,
        locale: Literal["en", "de"] | None = None,
        provider: str | None = None,
        return_url: str | None = None,
        expires_in: int | None = None,
        idempotency_key: str | None = None,
    ) -> CreateHostedSessionResponse:
        """Create a hosted verification session. Send the person to `url`, or pass `session_id` and `client_token`
        to the widget. The session waits fifteen minutes; the capture itself has three minutes from when a
        device opens it. A capture that does not pass can be tried again while the session waits. With
        `request`, the holder of the client token collects the token (POST /v1/vat/auth/sessions/{id}/collect).
        A token that could not be issued is refused here and when a device opens the session, so that nobody is
        verified in vain. The device never gets the token, and the person reads what they confirm before the
        camera starts.
        """
        return await self._call(
            Call[CreateHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/hosted",
                body={
                    "purpose": purpose,
                    "human_ref": human_ref,
                    "developer_email": developer_email,
                    "request": request,
                    "approval_id": approval_id,
                    "accommodations": accommodations,
                    "locale": locale,
                    "provider": provider,
                    "return_url": return_url,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def preview_hosted_session(
        self,
        id: str,
        *,
        client_token: str | None = None,
        transfer_code: str | None = None,
        nonce: str | None = None,
        idempotency_key: str | None = None,
    ) -> PreviewHostedSessionResponse:
        """Show what a person is about to confirm. Who asks, for which agent, and what it may do: show it before
        you open the session. A transfer code stays valid. A device that opened the session and lost its page
        calls with its nonce.
        """
        return await self._call(
            Call[PreviewHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/preview",
                path_values=(id,),
                body={
                    "client_token": client_token,
                    "transfer_code": transfer_code,
                    "nonce": nonce,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def open_hosted_session(
        self,
        id: str,
        *,
        client_token: str | None = None,
        transfer_code: str | None = None,
        nonce: str | None = None,
        device_key: str | None = None,
        accommodations: Sequence[Literal["no_voice", "no_hand", "no_flash"]] | None = None,
        locale: Literal["en", "de"] | None = None,
        consent: CreateVerificationSessionConsentInput | None = None,
        idempotency_key: str | None = None,
    ) -> OpenHostedSessionResponse:
        """Open a hosted session on this device. The session belongs to the first device that opens it; others get
        `session_taken`. After a capture that did not pass or was interrupted, that device starts again with its
        `nonce`. Send a `device_key`, so that a device that misses the response can open the session again.
        Repeated while the first call is still under way, the call gets the same response. A session can be
        opened five times. The response is the same as for POST /v1/vat/auth/sessions, and so are the calls
        after it; send no token request with them.
        """
        return await self._call(
            Call[OpenHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/open",
                path_values=(id,),
                body={
                    "client_token": client_token,
                    "transfer_code": transfer_code,
                    "nonce": nonce,
                    "device_key": device_key,
                    "accommodations": accommodations,
                    "locale": locale,
                    "consent": consent,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def transfer_hosted_session(
        self,
        id: str,
        *,
        client_token: str,
        idempotency_key: str | None = None,
    ) -> TransferHostedSessionResponse:
        """Move a hosted session to a phone. Show `url` as a QR code. The code works once and for two minutes; a
        new one replaces it. Once the phone has opened the session, this device only watches.
        """
        return await self._call(
            Call[TransferHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/transfer",
                path_values=(id,),
                body={
                    "client_token": client_token,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def watch_hosted_session(
        self,
        id: str,
        *,
        client_token: str | None = None,
        nonce: str | None = None,
        after: str | None = None,
        idempotency_key: str | None = None,
    ) -> WatchHostedSessionResponse:
        """Watch a hosted session. Without `after`, the call returns immediately. With it, the call waits up to 25
        seconds for a change, or returns immediately if too many calls are waiting. The device that has opened
        the session watches with its nonce.
        """
        return await self._call(
            Call[WatchHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/watch",
                path_values=(id,),
                body={
                    "client_token": client_token,
                    "nonce": nonce,
                    "after": after,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def collect_hosted_session(
        self,
        id: str,
        *,
        client_token: str,
        idempotency_key: str | None = None,
    ) -> CollectHostedSessionResponse:
        """Collect the result of a hosted session. Returns the result, and the token if one was requested and the
        person was verified. Collect within ten minutes of the verification. The token can be collected once:
        repeating the call returns the same token for a minute, then `session_closed`.
        """
        return await self._call(
            Call[CollectHostedSessionResponse](
                "POST",
                "/v1/vat/auth/sessions/{}/collect",
                path_values=(id,),
                body={
                    "client_token": client_token,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def capture(
        self,
        *,
        session_id: str,
        nonce: str,
        step_id: str | None = None,
        frames: Sequence[AnswerStepFramesItemInput] | None = None,
        audio: AnswerStepAudioInput | None = None,
        device: AnswerStepDeviceInput | None = None,
        passkey: FinishPasskeyLoginResponseInput | None = None,
        agent_id: str | None = None,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        audience: str | None = None,
        agent_jwk: Mapping[str, Any] | None = None,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None = None,
        purpose: str | None = None,
        approval_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> CaptureResponse:
        """Judge a verification, and issue a root token (L3). Finishes a session for `verify`. The recording of the
        last step can be sent in the same call. If the person is verified and you send `agent_id`, `resources`
        and `actions`, the response contains a token. If the person is not verified, `passed` is false; this is
        not an error. Repeating the call returns the same response, and the token for ten minutes.
        """
        return await self._call(
            Call[CaptureResponse](
                "POST",
                "/v1/vat/auth/capture",
                body={
                    "session_id": session_id,
                    "nonce": nonce,
                    "step_id": step_id,
                    "frames": frames,
                    "audio": audio,
                    "device": device,
                    "passkey": passkey,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "audience": audience,
                    "agent_jwk": agent_jwk,
                    "policy_assertions": policy_assertions,
                    "purpose": purpose,
                    "approval_id": approval_id,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def enroll(
        self,
        *,
        session_id: str,
        nonce: str,
        step_id: str | None = None,
        frames: Sequence[AnswerStepFramesItemInput] | None = None,
        audio: AnswerStepAudioInput | None = None,
        device: AnswerStepDeviceInput | None = None,
        passkey: FinishPasskeyLoginResponseInput | None = None,
        passkey_registration: FinishPasskeyResponseInput | None = None,
        idempotency_key: str | None = None,
    ) -> EnrollResponse:
        """Enroll a person. Finishes a session for `enroll` and stores an encrypted template, never the media. The
        first enrollment of a person wins: a later one must match it. A person without a passkey creates one
        here (`passkey_registration`); a person who has one confirms with it (`passkey`).
        """
        return await self._call(
            Call[EnrollResponse](
                "POST",
                "/v1/vat/auth/enroll",
                body={
                    "session_id": session_id,
                    "nonce": nonce,
                    "step_id": step_id,
                    "frames": frames,
                    "audio": audio,
                    "device": device,
                    "passkey": passkey,
                    "passkey_registration": passkey_registration,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def get_verification(
        self,
        id: str,
    ) -> GetVerificationResponse:
        """Get a verification. Operators and auditors also see scores and measured values."""
        return await self._call(
            Call[GetVerificationResponse](
                "GET",
                "/v1/vat/auth/verifications/{}",
                path_values=(id,),
            )
        )

    async def list_verifications(
        self,
        *,
        human_ref: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListVerificationsResponse:
        """List verifications. Newest first. People see their own, staff those of the tenant."""
        return await self._call(
            Call[ListVerificationsResponse](
                "GET",
                "/v1/vat/auth/verifications",
                query={
                    "human_ref": human_ref,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_verifications(
        self,
        *,
        human_ref: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[GetVerificationResponse]:
        """Everything that `list_verifications` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_verifications(
                human_ref=human_ref,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_engine(
        self,
    ) -> GetEngineResponse:
        """Get the state of the verification engine."""
        return await self._call(
            Call[GetEngineResponse](
                "GET",
                "/v1/vat/auth/engine",
            )
        )

    async def install_engine(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> GetEngineResponse:
        """Fetch the verification engine. Starts to fetch the models and returns at once. Poll GET
        /v1/vat/auth/engine.
        """
        return await self._call(
            Call[GetEngineResponse](
                "POST",
                "/v1/vat/auth/engine/install",
                idempotency_key=idempotency_key,
            )
        )


class _SignIn(Transport):
    """Sign in with an OpenID Connect provider."""

    def start_login(
        self,
        *,
        provider: str | None = None,
        return_to: str | None = None,
        agent_id: str | None = None,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
    ) -> StartLoginResponse:
        """Start a sign-in. Have the person open `authorization_url` in a browser. After signing in they see who
        asked and for what, and confirm it; then `login_id` works for one token. The agent, scope, constraints,
        lifetime and purpose that you send are shown and binding: the token cannot be for another agent, have a
        wider scope or looser limits, or live longer.
        """
        return self._call(
            Call[StartLoginResponse](
                "POST",
                "/v1/vat/auth/oidc/start",
                body={
                    "provider": provider,
                    "return_to": return_to,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "purpose": purpose,
                },
                idempotency_key=idempotency_key,
            )
        )

    def get_login(
        self,
        id: str,
    ) -> GetLoginResponse:
        """Get the status of a sign-in. Only for the caller that started it. A sign-in is deleted ten minutes after
        it was started.
        """
        return self._call(
            Call[GetLoginResponse](
                "GET",
                "/v1/vat/auth/oidc/logins/{}",
                path_values=(id,),
            )
        )

    def list_providers(
        self,
    ) -> ListProvidersResponse:
        """List sign-in providers, the verification engine and verification providers."""
        return self._call(
            Call[ListProvidersResponse](
                "GET",
                "/v1/vat/auth/providers",
            )
        )


class _AsyncSignIn(AsyncTransport):
    """Sign in with an OpenID Connect provider."""

    async def start_login(
        self,
        *,
        provider: str | None = None,
        return_to: str | None = None,
        agent_id: str | None = None,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        constraints: ConstraintsInput | None = None,
        expires_in: int | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
    ) -> StartLoginResponse:
        """Start a sign-in. Have the person open `authorization_url` in a browser. After signing in they see who
        asked and for what, and confirm it; then `login_id` works for one token. The agent, scope, constraints,
        lifetime and purpose that you send are shown and binding: the token cannot be for another agent, have a
        wider scope or looser limits, or live longer.
        """
        return await self._call(
            Call[StartLoginResponse](
                "POST",
                "/v1/vat/auth/oidc/start",
                body={
                    "provider": provider,
                    "return_to": return_to,
                    "agent_id": agent_id,
                    "resources": resources,
                    "actions": actions,
                    "constraints": constraints,
                    "expires_in": expires_in,
                    "purpose": purpose,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def get_login(
        self,
        id: str,
    ) -> GetLoginResponse:
        """Get the status of a sign-in. Only for the caller that started it. A sign-in is deleted ten minutes after
        it was started.
        """
        return await self._call(
            Call[GetLoginResponse](
                "GET",
                "/v1/vat/auth/oidc/logins/{}",
                path_values=(id,),
            )
        )

    async def list_providers(
        self,
    ) -> ListProvidersResponse:
        """List sign-in providers, the verification engine and verification providers."""
        return await self._call(
            Call[ListProvidersResponse](
                "GET",
                "/v1/vat/auth/providers",
            )
        )


class _Signals(Transport):
    """Notify gateways and identity systems of revocations (Shared Signals, CAEP)."""

    def get_ssf_configuration(
        self,
    ) -> GetSsfConfigurationResponse:
        """Get the metadata of the signals transmitter. Metadata of the OpenID Shared Signals Framework 1.0."""
        return self._call(
            Call[GetSsfConfigurationResponse](
                "GET",
                "/.well-known/ssf-configuration",
            )
        )

    def create_stream(
        self,
        *,
        delivery: CreateStreamDeliveryInput | None = None,
        events_requested: Sequence[str] | None = None,
        description: str | None = None,
        aud: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreateStreamResponse:
        """Create a stream of signals. Reports everything that is revoked, suspended or resumed in your tenant from
        now on. The receiver polls the stream, or the service pushes each SET and repeats it until the receiver
        accepts it. A tenant can have 100 streams.
        """
        return self._call(
            Call[CreateStreamResponse](
                "POST",
                "/v1/vat/ssf/streams",
                body={
                    "delivery": delivery,
                    "events_requested": events_requested,
                    "description": description,
                    "aud": aud,
                },
                idempotency_key=idempotency_key,
            )
        )

    def read_streams(
        self,
        *,
        stream_id: str | None = None,
    ) -> CreateStreamResponse | list[CreateStreamResponse]:
        """Read a stream, or list streams."""
        return self._call(
            Call[CreateStreamResponse | list[CreateStreamResponse]](
                "GET",
                "/v1/vat/ssf/streams",
                query={
                    "stream_id": stream_id,
                },
            )
        )

    def update_stream(
        self,
        *,
        stream_id: str,
        delivery: CreateStreamDeliveryInput | None = None,
        events_requested: Sequence[str] | None = None,
        description: str | None = None,
    ) -> CreateStreamResponse:
        """Update a stream. Sets the fields that you send. `delivery` is replaced as a whole; its method cannot
        change.
        """
        return self._call(
            Call[CreateStreamResponse](
                "PATCH",
                "/v1/vat/ssf/streams",
                body={
                    "stream_id": stream_id,
                    "delivery": delivery,
                    "events_requested": events_requested,
                    "description": description,
                },
            )
        )

    def delete_stream(
        self,
        *,
        stream_id: str,
    ) -> DeleteStreamResponse:
        """Delete a stream."""
        return self._call(
            Call[DeleteStreamResponse](
                "DELETE",
                "/v1/vat/ssf/streams",
                query={
                    "stream_id": stream_id,
                },
            )
        )

    def get_stream_status(
        self,
        *,
        stream_id: str,
    ) -> GetStreamStatusResponse:
        """Get the status of a stream."""
        return self._call(
            Call[GetStreamStatusResponse](
                "GET",
                "/v1/vat/ssf/status",
                query={
                    "stream_id": stream_id,
                },
            )
        )

    def update_stream_status(
        self,
        *,
        stream_id: str,
        status: Literal["enabled", "paused", "disabled"],
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> GetStreamStatusResponse:
        """Pause, disable or enable a stream."""
        return self._call(
            Call[GetStreamStatusResponse](
                "POST",
                "/v1/vat/ssf/status",
                body={
                    "stream_id": stream_id,
                    "status": status,
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    def add_stream_subject(
        self,
        *,
        stream_id: str,
        subject: Mapping[str, Any],
        verified: bool | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Add a subject to a stream. A stream begins with all subjects, so this adds back one that was removed."""
        return self._call(
            Call[dict[str, Any]](
                "POST",
                "/v1/vat/ssf/subjects/add",
                body={
                    "stream_id": stream_id,
                    "subject": subject,
                    "verified": verified,
                },
                idempotency_key=idempotency_key,
            )
        )

    def remove_stream_subject(
        self,
        *,
        stream_id: str,
        subject: Mapping[str, Any],
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Remove a subject from a stream. The stream no longer reports this token, agent or person, nor the tokens
        of that agent or person. A stream can leave out up to 1,000 subjects.
        """
        return self._call(
            Call[dict[str, Any]](
                "POST",
                "/v1/vat/ssf/subjects/remove",
                body={
                    "stream_id": stream_id,
                    "subject": subject,
                },
                idempotency_key=idempotency_key,
            )
        )

    def verify_stream(
        self,
        *,
        stream_id: str,
        state: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Request a verification event. The service sends a SET with your `state` over the stream, so that you can
        check that it works. A push stream gets it immediately, in a single attempt; request the next one after
        `min_verification_interval`.
        """
        return self._call(
            Call[dict[str, Any]](
                "POST",
                "/v1/vat/ssf/verify",
                body={
                    "stream_id": stream_id,
                    "state": state,
                },
                idempotency_key=idempotency_key,
            )
        )

    def poll_stream(
        self,
        stream_id: str,
        *,
        maxEvents: int | None = None,
        returnImmediately: bool | None = None,
        ack: Sequence[str] | None = None,
        setErrs: Mapping[str, Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> PollStreamResponse:
        """Poll a stream (RFC 8936). Returns SETs that have not been acknowledged and acknowledges those of earlier
        responses. A SET is returned again until you acknowledge it. If there are none, the call waits up to 30
        seconds, unless you send `returnImmediately`. A resource server can poll the streams whose `aud` is its
        own audience.
        """
        return self._call(
            Call[PollStreamResponse](
                "POST",
                "/v1/vat/ssf/streams/{}/poll",
                path_values=(stream_id,),
                body={
                    "maxEvents": maxEvents,
                    "returnImmediately": returnImmediately,
                    "ack": ack,
                    "setErrs": setErrs,
                },
                idempotency_key=idempotency_key,
            )
        )


class _AsyncSignals(AsyncTransport):
    """Notify gateways and identity systems of revocations (Shared Signals, CAEP)."""

    async def get_ssf_configuration(
        self,
    ) -> GetSsfConfigurationResponse:
        """Get the metadata of the signals transmitter. Metadata of the OpenID Shared Signals Framework 1.0."""
        return await self._call(
            Call[GetSsfConfigurationResponse](
                "GET",
                "/.well-known/ssf-configuration",
            )
        )

    async def create_stream(
        self,
        *,
        delivery: CreateStreamDeliveryInput | None = None,
        events_requested: Sequence[str] | None = None,
        description: str | None = None,
        aud: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreateStreamResponse:
        """Create a stream of signals. Reports everything that is revoked, suspended or resumed in your tenant from
        now on. The receiver polls the stream, or the service pushes each SET and repeats it until the receiver
        accepts it. A tenant can have 100 streams.
        """
        return await self._call(
            Call[CreateStreamResponse](
                "POST",
                "/v1/vat/ssf/streams",
                body={
                    "delivery": delivery,
                    "events_requested": events_requested,
                    "description": description,
                    "aud": aud,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def read_streams(
        self,
        *,
        stream_id: str | None = None,
    ) -> CreateStreamResponse | list[CreateStreamResponse]:
        """Read a stream, or list streams."""
        return await self._call(
            Call[CreateStreamResponse | list[CreateStreamResponse]](
                "GET",
                "/v1/vat/ssf/streams",
                query={
                    "stream_id": stream_id,
                },
            )
        )

    async def update_stream(
        self,
        *,
        stream_id: str,
        delivery: CreateStreamDeliveryInput | None = None,
        events_requested: Sequence[str] | None = None,
        description: str | None = None,
    ) -> CreateStreamResponse:
        """Update a stream. Sets the fields that you send. `delivery` is replaced as a whole; its method cannot
        change.
        """
        return await self._call(
            Call[CreateStreamResponse](
                "PATCH",
                "/v1/vat/ssf/streams",
                body={
                    "stream_id": stream_id,
                    "delivery": delivery,
                    "events_requested": events_requested,
                    "description": description,
                },
            )
        )

    async def delete_stream(
        self,
        *,
        stream_id: str,
    ) -> DeleteStreamResponse:
        """Delete a stream."""
        return await self._call(
            Call[DeleteStreamResponse](
                "DELETE",
                "/v1/vat/ssf/streams",
                query={
                    "stream_id": stream_id,
                },
            )
        )

    async def get_stream_status(
        self,
        *,
        stream_id: str,
    ) -> GetStreamStatusResponse:
        """Get the status of a stream."""
        return await self._call(
            Call[GetStreamStatusResponse](
                "GET",
                "/v1/vat/ssf/status",
                query={
                    "stream_id": stream_id,
                },
            )
        )

    async def update_stream_status(
        self,
        *,
        stream_id: str,
        status: Literal["enabled", "paused", "disabled"],
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> GetStreamStatusResponse:
        """Pause, disable or enable a stream."""
        return await self._call(
            Call[GetStreamStatusResponse](
                "POST",
                "/v1/vat/ssf/status",
                body={
                    "stream_id": stream_id,
                    "status": status,
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def add_stream_subject(
        self,
        *,
        stream_id: str,
        subject: Mapping[str, Any],
        verified: bool | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Add a subject to a stream. A stream begins with all subjects, so this adds back one that was removed."""
        return await self._call(
            Call[dict[str, Any]](
                "POST",
                "/v1/vat/ssf/subjects/add",
                body={
                    "stream_id": stream_id,
                    "subject": subject,
                    "verified": verified,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def remove_stream_subject(
        self,
        *,
        stream_id: str,
        subject: Mapping[str, Any],
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Remove a subject from a stream. The stream no longer reports this token, agent or person, nor the tokens
        of that agent or person. A stream can leave out up to 1,000 subjects.
        """
        return await self._call(
            Call[dict[str, Any]](
                "POST",
                "/v1/vat/ssf/subjects/remove",
                body={
                    "stream_id": stream_id,
                    "subject": subject,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def verify_stream(
        self,
        *,
        stream_id: str,
        state: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Request a verification event. The service sends a SET with your `state` over the stream, so that you can
        check that it works. A push stream gets it immediately, in a single attempt; request the next one after
        `min_verification_interval`.
        """
        return await self._call(
            Call[dict[str, Any]](
                "POST",
                "/v1/vat/ssf/verify",
                body={
                    "stream_id": stream_id,
                    "state": state,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def poll_stream(
        self,
        stream_id: str,
        *,
        maxEvents: int | None = None,
        returnImmediately: bool | None = None,
        ack: Sequence[str] | None = None,
        setErrs: Mapping[str, Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> PollStreamResponse:
        """Poll a stream (RFC 8936). Returns SETs that have not been acknowledged and acknowledges those of earlier
        responses. A SET is returned again until you acknowledge it. If there are none, the call waits up to 30
        seconds, unless you send `returnImmediately`. A resource server can poll the streams whose `aud` is its
        own audience.
        """
        return await self._call(
            Call[PollStreamResponse](
                "POST",
                "/v1/vat/ssf/streams/{}/poll",
                path_values=(stream_id,),
                body={
                    "maxEvents": maxEvents,
                    "returnImmediately": returnImmediately,
                    "ack": ack,
                    "setErrs": setErrs,
                },
                idempotency_key=idempotency_key,
            )
        )


class _Policies(Transport):
    """Compliance policies and their rules."""

    def list_policies(
        self,
    ) -> ListPoliciesResponse:
        """List policies. Each policy maps controls of a framework to checks of a token. It is not a certification."""
        return self._call(
            Call[ListPoliciesResponse](
                "GET",
                "/v1/vat/policies",
            )
        )

    def get_policy(
        self,
        name: str,
    ) -> GetPolicyResponse:
        """Get a policy. Returns each rule with its control, one sentence, and the check that the service makes."""
        return self._call(
            Call[GetPolicyResponse](
                "GET",
                "/v1/vat/policies/{}",
                path_values=(name,),
            )
        )

    def evaluate_policies(
        self,
        *,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]],
        vat_jti: str | None = None,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        expires_in: int | None = None,
        key_bound: bool | None = None,
        min_vouch_score: float | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluatePoliciesResponse:
        """Evaluate policies. Returns rule by rule what issuing a token with these `policy_assertions` would find:
        for an existing token (`vat_jti` alone) or for a planned one (`resources` and `actions` are then
        required). Stores nothing.
        """
        return self._call(
            Call[EvaluatePoliciesResponse](
                "POST",
                "/v1/vat/policies/evaluate",
                body={
                    "policy_assertions": policy_assertions,
                    "vat_jti": vat_jti,
                    "resources": resources,
                    "actions": actions,
                    "assurance_level": assurance_level,
                    "expires_in": expires_in,
                    "key_bound": key_bound,
                    "min_vouch_score": min_vouch_score,
                },
                idempotency_key=idempotency_key,
            )
        )


class _AsyncPolicies(AsyncTransport):
    """Compliance policies and their rules."""

    async def list_policies(
        self,
    ) -> ListPoliciesResponse:
        """List policies. Each policy maps controls of a framework to checks of a token. It is not a certification."""
        return await self._call(
            Call[ListPoliciesResponse](
                "GET",
                "/v1/vat/policies",
            )
        )

    async def get_policy(
        self,
        name: str,
    ) -> GetPolicyResponse:
        """Get a policy. Returns each rule with its control, one sentence, and the check that the service makes."""
        return await self._call(
            Call[GetPolicyResponse](
                "GET",
                "/v1/vat/policies/{}",
                path_values=(name,),
            )
        )

    async def evaluate_policies(
        self,
        *,
        policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]],
        vat_jti: str | None = None,
        resources: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        assurance_level: Literal["L1", "L2", "L3"] | None = None,
        expires_in: int | None = None,
        key_bound: bool | None = None,
        min_vouch_score: float | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluatePoliciesResponse:
        """Evaluate policies. Returns rule by rule what issuing a token with these `policy_assertions` would find:
        for an existing token (`vat_jti` alone) or for a planned one (`resources` and `actions` are then
        required). Stores nothing.
        """
        return await self._call(
            Call[EvaluatePoliciesResponse](
                "POST",
                "/v1/vat/policies/evaluate",
                body={
                    "policy_assertions": policy_assertions,
                    "vat_jti": vat_jti,
                    "resources": resources,
                    "actions": actions,
                    "assurance_level": assurance_level,
                    "expires_in": expires_in,
                    "key_bound": key_bound,
                    "min_vouch_score": min_vouch_score,
                },
                idempotency_key=idempotency_key,
            )
        )


class _Access(Transport):
    """Tenants and API keys."""

    def create_tenant(
        self,
        *,
        tenant_id: str,
        name: str | Unset = UNSET,
        allow_bearer: bool | Unset = UNSET,
        step_up: Sequence[Literal["rate", "approve", "issue_l2", "revoke_many", "erase", "passkeys", "duress", "vouch"]] | Unset = UNSET,
        reviewers: Sequence[str] | Unset = UNSET,
        rate_limit: int | None | Unset = UNSET,
        verification: CreateTenantVerification1Input | None | Unset = UNSET,
        review: CreateTenantReviewInput | Unset = UNSET,
        face_approvals: CreateTenantFaceApprovals1Input | None | Unset = UNSET,
        messages: CreateTenantMessages1Input | None | Unset = UNSET,
        passkey_aaguids: Sequence[str] | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> Tenant:
        """Create a tenant. Each tenant has its own agents, people, workflows and keys. The same name in two
        tenants refers to two different things.
        """
        return self._call(
            Call[Tenant](
                "POST",
                "/v1/vat/tenants",
                body={
                    "tenant_id": tenant_id,
                    "name": name,
                    "allow_bearer": allow_bearer,
                    "step_up": step_up,
                    "reviewers": reviewers,
                    "rate_limit": rate_limit,
                    "verification": verification,
                    "review": review,
                    "face_approvals": face_approvals,
                    "messages": messages,
                    "passkey_aaguids": passkey_aaguids,
                },
                keeps_null=True,
                idempotency_key=idempotency_key,
            )
        )

    def list_tenants(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListTenantsResponse:
        """List tenants. Operators of the deployment see every tenant, other callers their own."""
        return self._call(
            Call[ListTenantsResponse](
                "GET",
                "/v1/vat/tenants",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_tenants(
        self,
        *,
        limit: int | None = None,
    ) -> Iterator[Tenant]:
        """Everything that `list_tenants` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_tenants(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_tenant(
        self,
        tenant_id: str,
    ) -> Tenant:
        """Get a tenant."""
        return self._call(
            Call[Tenant](
                "GET",
                "/v1/vat/tenants/{}",
                path_values=(tenant_id,),
            )
        )

    def update_tenant(
        self,
        tenant_id: str,
        *,
        name: str | Unset = UNSET,
        allow_bearer: bool | Unset = UNSET,
        step_up: Sequence[Literal["rate", "approve", "issue_l2", "revoke_many", "erase", "passkeys", "duress", "vouch"]] | Unset = UNSET,
        reviewers: Sequence[str] | Unset = UNSET,
        rate_limit: int | None | Unset = UNSET,
        verification: CreateTenantVerification1Input | None | Unset = UNSET,
        review: CreateTenantReviewInput | Unset = UNSET,
        face_approvals: CreateTenantFaceApprovals1Input | None | Unset = UNSET,
        messages: CreateTenantMessages1Input | None | Unset = UNSET,
        passkey_aaguids: Sequence[str] | Unset = UNSET,
    ) -> Tenant:
        """Update the settings of a tenant. Sets the fields that you send. Fields that you leave out do not change."""
        return self._call(
            Call[Tenant](
                "PATCH",
                "/v1/vat/tenants/{}",
                path_values=(tenant_id,),
                body={
                    "name": name,
                    "allow_bearer": allow_bearer,
                    "step_up": step_up,
                    "reviewers": reviewers,
                    "rate_limit": rate_limit,
                    "verification": verification,
                    "review": review,
                    "face_approvals": face_approvals,
                    "messages": messages,
                    "passkey_aaguids": passkey_aaguids,
                },
                keeps_null=True,
            )
        )

    def create_key(
        self,
        *,
        name: str,
        role: Literal["operator", "developer", "resource_server", "auditor", "safety"],
        tenant_id: str | None = None,
        audience: str | None = None,
        expires_in: int | None = None,
        idempotency_key: str | None = None,
    ) -> CreateKeyResponse:
        """Create an API key."""
        return self._call(
            Call[CreateKeyResponse](
                "POST",
                "/v1/vat/keys",
                body={
                    "name": name,
                    "role": role,
                    "tenant_id": tenant_id,
                    "audience": audience,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_keys(
        self,
        *,
        tenant_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListKeysResponse:
        """List API keys. The keys of your tenant, newest first, without their secrets."""
        return self._call(
            Call[ListKeysResponse](
                "GET",
                "/v1/vat/keys",
                query={
                    "tenant_id": tenant_id,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_keys(
        self,
        *,
        tenant_id: str | None = None,
        limit: int | None = None,
    ) -> Iterator[ListKeysResponseDataItem]:
        """Everything that `list_keys` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_keys(
                tenant_id=tenant_id,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def delete_key(
        self,
        key_id: str,
    ) -> DeleteKeyResponse:
        """Delete an API key. The key stops working at once on this node, and within two seconds on other nodes.
        Webhooks that it created, and those whose address it set last, are disabled, unless a rotation replaced
        it with a key that works; `POST /v1/vat/webhooks/{webhook_id}/enable` resumes one where it stopped.
        Signal streams that it created continue, because gateways learn from them what was revoked.
        """
        return self._call(
            Call[DeleteKeyResponse](
                "DELETE",
                "/v1/vat/keys/{}",
                path_values=(key_id,),
            )
        )

    def rotate_key(
        self,
        key_id: str,
        *,
        overlap_s: int | None = None,
        expires_in: int | None = None,
        idempotency_key: str | None = None,
    ) -> CreateKeyResponse:
        """Replace an API key. Creates a key with the same name, role and tenant. The old key keeps working for
        `overlap_s` seconds. A key that a person got by signing in with a provider cannot be replaced.
        """
        return self._call(
            Call[CreateKeyResponse](
                "POST",
                "/v1/vat/keys/{}/rotate",
                path_values=(key_id,),
                body={
                    "overlap_s": overlap_s,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )

    def set_up(
        self,
        *,
        setup_secret: str,
        name: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreateKeyResponse:
        """Create the first operator key. In keyed mode a new deployment prints a setup secret when it starts. The
        secret works once, for this call.
        """
        return self._call(
            Call[CreateKeyResponse](
                "POST",
                "/v1/vat/setup",
                body={
                    "setup_secret": setup_secret,
                    "name": name,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_security_events(
        self,
        *,
        tenant_id: str | None = None,
        kind: Literal["credential_invalid", "role_not_allowed", "not_yours", "step_up_required", "passkey_refused", "cross_site_request", "host_not_allowed", "rate_limited"] | None = None,
        from_: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListSecurityEventsResponse:
        """List refused calls. Calls that were refused because of their credential, their permissions, their origin
        or their rate, in keyed mode. They are counted per kind, caller and hour and kept for 7 days; a crash
        may lose the last seconds. Nothing personal is stored. The tenant `default` also gets the calls without
        a valid credential.
        """
        return self._call(
            Call[ListSecurityEventsResponse](
                "GET",
                "/v1/vat/security-events",
                query={
                    "tenant_id": tenant_id,
                    "kind": kind,
                    "from": from_,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    def iter_security_events(
        self,
        *,
        tenant_id: str | None = None,
        kind: Literal["credential_invalid", "role_not_allowed", "not_yours", "step_up_required", "passkey_refused", "cross_site_request", "host_not_allowed", "rate_limited"] | None = None,
        from_: str | None = None,
        limit: int | None = None,
    ) -> Iterator[ListSecurityEventsResponseDataItem]:
        """Everything that `list_security_events` lists, page after page."""
        cursor: str | None = None
        while True:
            page = self.list_security_events(
                tenant_id=tenant_id,
                kind=kind,
                from_=from_,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return


class _AsyncAccess(AsyncTransport):
    """Tenants and API keys."""

    async def create_tenant(
        self,
        *,
        tenant_id: str,
        name: str | Unset = UNSET,
        allow_bearer: bool | Unset = UNSET,
        step_up: Sequence[Literal["rate", "approve", "issue_l2", "revoke_many", "erase", "passkeys", "duress", "vouch"]] | Unset = UNSET,
        reviewers: Sequence[str] | Unset = UNSET,
        rate_limit: int | None | Unset = UNSET,
        verification: CreateTenantVerification1Input | None | Unset = UNSET,
        review: CreateTenantReviewInput | Unset = UNSET,
        face_approvals: CreateTenantFaceApprovals1Input | None | Unset = UNSET,
        messages: CreateTenantMessages1Input | None | Unset = UNSET,
        passkey_aaguids: Sequence[str] | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> Tenant:
        """Create a tenant. Each tenant has its own agents, people, workflows and keys. The same name in two
        tenants refers to two different things.
        """
        return await self._call(
            Call[Tenant](
                "POST",
                "/v1/vat/tenants",
                body={
                    "tenant_id": tenant_id,
                    "name": name,
                    "allow_bearer": allow_bearer,
                    "step_up": step_up,
                    "reviewers": reviewers,
                    "rate_limit": rate_limit,
                    "verification": verification,
                    "review": review,
                    "face_approvals": face_approvals,
                    "messages": messages,
                    "passkey_aaguids": passkey_aaguids,
                },
                keeps_null=True,
                idempotency_key=idempotency_key,
            )
        )

    async def list_tenants(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListTenantsResponse:
        """List tenants. Operators of the deployment see every tenant, other callers their own."""
        return await self._call(
            Call[ListTenantsResponse](
                "GET",
                "/v1/vat/tenants",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_tenants(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncIterator[Tenant]:
        """Everything that `list_tenants` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_tenants(
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_tenant(
        self,
        tenant_id: str,
    ) -> Tenant:
        """Get a tenant."""
        return await self._call(
            Call[Tenant](
                "GET",
                "/v1/vat/tenants/{}",
                path_values=(tenant_id,),
            )
        )

    async def update_tenant(
        self,
        tenant_id: str,
        *,
        name: str | Unset = UNSET,
        allow_bearer: bool | Unset = UNSET,
        step_up: Sequence[Literal["rate", "approve", "issue_l2", "revoke_many", "erase", "passkeys", "duress", "vouch"]] | Unset = UNSET,
        reviewers: Sequence[str] | Unset = UNSET,
        rate_limit: int | None | Unset = UNSET,
        verification: CreateTenantVerification1Input | None | Unset = UNSET,
        review: CreateTenantReviewInput | Unset = UNSET,
        face_approvals: CreateTenantFaceApprovals1Input | None | Unset = UNSET,
        messages: CreateTenantMessages1Input | None | Unset = UNSET,
        passkey_aaguids: Sequence[str] | Unset = UNSET,
    ) -> Tenant:
        """Update the settings of a tenant. Sets the fields that you send. Fields that you leave out do not change."""
        return await self._call(
            Call[Tenant](
                "PATCH",
                "/v1/vat/tenants/{}",
                path_values=(tenant_id,),
                body={
                    "name": name,
                    "allow_bearer": allow_bearer,
                    "step_up": step_up,
                    "reviewers": reviewers,
                    "rate_limit": rate_limit,
                    "verification": verification,
                    "review": review,
                    "face_approvals": face_approvals,
                    "messages": messages,
                    "passkey_aaguids": passkey_aaguids,
                },
                keeps_null=True,
            )
        )

    async def create_key(
        self,
        *,
        name: str,
        role: Literal["operator", "developer", "resource_server", "auditor", "safety"],
        tenant_id: str | None = None,
        audience: str | None = None,
        expires_in: int | None = None,
        idempotency_key: str | None = None,
    ) -> CreateKeyResponse:
        """Create an API key."""
        return await self._call(
            Call[CreateKeyResponse](
                "POST",
                "/v1/vat/keys",
                body={
                    "name": name,
                    "role": role,
                    "tenant_id": tenant_id,
                    "audience": audience,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_keys(
        self,
        *,
        tenant_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListKeysResponse:
        """List API keys. The keys of your tenant, newest first, without their secrets."""
        return await self._call(
            Call[ListKeysResponse](
                "GET",
                "/v1/vat/keys",
                query={
                    "tenant_id": tenant_id,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_keys(
        self,
        *,
        tenant_id: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[ListKeysResponseDataItem]:
        """Everything that `list_keys` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_keys(
                tenant_id=tenant_id,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def delete_key(
        self,
        key_id: str,
    ) -> DeleteKeyResponse:
        """Delete an API key. The key stops working at once on this node, and within two seconds on other nodes.
        Webhooks that it created, and those whose address it set last, are disabled, unless a rotation replaced
        it with a key that works; `POST /v1/vat/webhooks/{webhook_id}/enable` resumes one where it stopped.
        Signal streams that it created continue, because gateways learn from them what was revoked.
        """
        return await self._call(
            Call[DeleteKeyResponse](
                "DELETE",
                "/v1/vat/keys/{}",
                path_values=(key_id,),
            )
        )

    async def rotate_key(
        self,
        key_id: str,
        *,
        overlap_s: int | None = None,
        expires_in: int | None = None,
        idempotency_key: str | None = None,
    ) -> CreateKeyResponse:
        """Replace an API key. Creates a key with the same name, role and tenant. The old key keeps working for
        `overlap_s` seconds. A key that a person got by signing in with a provider cannot be replaced.
        """
        return await self._call(
            Call[CreateKeyResponse](
                "POST",
                "/v1/vat/keys/{}/rotate",
                path_values=(key_id,),
                body={
                    "overlap_s": overlap_s,
                    "expires_in": expires_in,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def set_up(
        self,
        *,
        setup_secret: str,
        name: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreateKeyResponse:
        """Create the first operator key. In keyed mode a new deployment prints a setup secret when it starts. The
        secret works once, for this call.
        """
        return await self._call(
            Call[CreateKeyResponse](
                "POST",
                "/v1/vat/setup",
                body={
                    "setup_secret": setup_secret,
                    "name": name,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_security_events(
        self,
        *,
        tenant_id: str | None = None,
        kind: Literal["credential_invalid", "role_not_allowed", "not_yours", "step_up_required", "passkey_refused", "cross_site_request", "host_not_allowed", "rate_limited"] | None = None,
        from_: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListSecurityEventsResponse:
        """List refused calls. Calls that were refused because of their credential, their permissions, their origin
        or their rate, in keyed mode. They are counted per kind, caller and hour and kept for 7 days; a crash
        may lose the last seconds. Nothing personal is stored. The tenant `default` also gets the calls without
        a valid credential.
        """
        return await self._call(
            Call[ListSecurityEventsResponse](
                "GET",
                "/v1/vat/security-events",
                query={
                    "tenant_id": tenant_id,
                    "kind": kind,
                    "from": from_,
                    "limit": limit,
                    "cursor": cursor,
                },
            )
        )

    async def iter_security_events(
        self,
        *,
        tenant_id: str | None = None,
        kind: Literal["credential_invalid", "role_not_allowed", "not_yours", "step_up_required", "passkey_refused", "cross_site_request", "host_not_allowed", "rate_limited"] | None = None,
        from_: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[ListSecurityEventsResponseDataItem]:
        """Everything that `list_security_events` lists, page after page."""
        cursor: str | None = None
        while True:
            page = await self.list_security_events(
                tenant_id=tenant_id,
                kind=kind,
                from_=from_,
                limit=limit,
                cursor=cursor,
            )
            for item in page["data"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return


class _Keys(Transport):
    """Keys that sign tokens."""

    def rotate_signing_key(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> RotateSigningKeyResponse:
        """Rotate the signing keys. The next keys, which are already published, begin to sign, and new next keys
        are published. The old public keys stay published until the last token that they signed has expired; the
        old private keys are destroyed. A key is published for six minutes before it signs, so a rotation too
        soon after another one is refused.
        """
        return self._call(
            Call[RotateSigningKeyResponse](
                "POST",
                "/v1/vat/signing-keys/rotate",
                idempotency_key=idempotency_key,
            )
        )

    def withdraw_signing_key(
        self,
        kid: str,
        *,
        from_: str,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> WithdrawSigningKeyResponse:
        """Withdraw a stolen signing key. Removes the key from the published keys immediately and lets the next key
        sign. Tokens that it signed from `from` on are revoked. Earlier ones stay valid online, because the
        service compares them with the log; offline verifiers refuse every token of the key, because a thief can
        write any date. Renew such tokens. Calling it again completes a withdrawal that was interrupted; an
        earlier `from` extends it.
        """
        return self._call(
            Call[WithdrawSigningKeyResponse](
                "POST",
                "/v1/vat/signing-keys/{}/withdraw",
                path_values=(kid,),
                body={
                    "from": from_,
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    def list_signing_keys(
        self,
    ) -> ListSigningKeysResponse:
        """List signing keys."""
        return self._call(
            Call[ListSigningKeysResponse](
                "GET",
                "/v1/vat/signing-keys",
            )
        )


class _AsyncKeys(AsyncTransport):
    """Keys that sign tokens."""

    async def rotate_signing_key(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> RotateSigningKeyResponse:
        """Rotate the signing keys. The next keys, which are already published, begin to sign, and new next keys
        are published. The old public keys stay published until the last token that they signed has expired; the
        old private keys are destroyed. A key is published for six minutes before it signs, so a rotation too
        soon after another one is refused.
        """
        return await self._call(
            Call[RotateSigningKeyResponse](
                "POST",
                "/v1/vat/signing-keys/rotate",
                idempotency_key=idempotency_key,
            )
        )

    async def withdraw_signing_key(
        self,
        kid: str,
        *,
        from_: str,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> WithdrawSigningKeyResponse:
        """Withdraw a stolen signing key. Removes the key from the published keys immediately and lets the next key
        sign. Tokens that it signed from `from` on are revoked. Earlier ones stay valid online, because the
        service compares them with the log; offline verifiers refuse every token of the key, because a thief can
        write any date. Renew such tokens. Calling it again completes a withdrawal that was interrupted; an
        earlier `from` extends it.
        """
        return await self._call(
            Call[WithdrawSigningKeyResponse](
                "POST",
                "/v1/vat/signing-keys/{}/withdraw",
                path_values=(kid,),
                body={
                    "from": from_,
                    "reason": reason,
                },
                idempotency_key=idempotency_key,
            )
        )

    async def list_signing_keys(
        self,
    ) -> ListSigningKeysResponse:
        """List signing keys."""
        return await self._call(
            Call[ListSigningKeysResponse](
                "GET",
                "/v1/vat/signing-keys",
            )
        )


class _Discovery(Transport):
    """Public keys and metadata."""

    def get_key_set(
        self,
    ) -> GetKeySetResponse:
        """Get the public keys (JWK Set). The keys that verify tokens, status lists and statements, including
        retired keys whose tokens can still be valid, and the next keys, which do not sign yet.
        """
        return self._call(
            Call[GetKeySetResponse](
                "GET",
                "/.well-known/jwks.json",
            )
        )

    def get_authorization_server(
        self,
    ) -> GetAuthorizationServerResponse:
        """Get the OAuth metadata (RFC 8414)."""
        return self._call(
            Call[GetAuthorizationServerResponse](
                "GET",
                "/.well-known/oauth-authorization-server",
            )
        )

    def get_authzen_configuration(
        self,
    ) -> GetAuthzenConfigurationResponse:
        """Get the AuthZEN metadata. Metadata of the OpenID AuthZEN Authorization API 1.0."""
        return self._call(
            Call[GetAuthzenConfigurationResponse](
                "GET",
                "/.well-known/authzen-configuration",
            )
        )

    def get_deployment(
        self,
    ) -> GetDeploymentResponse:
        """Describe this deployment. Returns the issuer, the access mode, the address of the API description, and
        the name and key of the log. Pin the key of the log: it never changes.
        """
        return self._call(
            Call[GetDeploymentResponse](
                "GET",
                "/.well-known/deputy.json",
            )
        )


class _AsyncDiscovery(AsyncTransport):
    """Public keys and metadata."""

    async def get_key_set(
        self,
    ) -> GetKeySetResponse:
        """Get the public keys (JWK Set). The keys that verify tokens, status lists and statements, including
        retired keys whose tokens can still be valid, and the next keys, which do not sign yet.
        """
        return await self._call(
            Call[GetKeySetResponse](
                "GET",
                "/.well-known/jwks.json",
            )
        )

    async def get_authorization_server(
        self,
    ) -> GetAuthorizationServerResponse:
        """Get the OAuth metadata (RFC 8414)."""
        return await self._call(
            Call[GetAuthorizationServerResponse](
                "GET",
                "/.well-known/oauth-authorization-server",
            )
        )

    async def get_authzen_configuration(
        self,
    ) -> GetAuthzenConfigurationResponse:
        """Get the AuthZEN metadata. Metadata of the OpenID AuthZEN Authorization API 1.0."""
        return await self._call(
            Call[GetAuthzenConfigurationResponse](
                "GET",
                "/.well-known/authzen-configuration",
            )
        )

    async def get_deployment(
        self,
    ) -> GetDeploymentResponse:
        """Describe this deployment. Returns the issuer, the access mode, the address of the API description, and
        the name and key of the log. Pin the key of the log: it never changes.
        """
        return await self._call(
            Call[GetDeploymentResponse](
                "GET",
                "/.well-known/deputy.json",
            )
        )


class _Service(Transport):
    """Health of the service."""

    def get_health(
        self,
    ) -> GetHealthResponse:
        """Check that the service is running."""
        return self._call(
            Call[GetHealthResponse](
                "GET",
                "/healthz",
            )
        )

    def get_readiness(
        self,
    ) -> GetReadinessResponse:
        """Check that the service is ready. Succeeds when the service can commit changes. Otherwise the problem
        carries `ready: false` and `reasons`: each has the `code` of an error and a `detail`.
        """
        return self._call(
            Call[GetReadinessResponse](
                "GET",
                "/readyz",
            )
        )

    def get_service_status(
        self,
    ) -> GetServiceStatusResponse:
        """Get the status of a node. For operators: whether the node is ready, how long commits take and how many
        changes are waiting, the log and its witnesses, memory and disk. Covers the node that responds, since it
        started. `GET /metrics` has the same for monitoring.
        """
        return self._call(
            Call[GetServiceStatusResponse](
                "GET",
                "/v1/vat/status",
            )
        )


class _AsyncService(AsyncTransport):
    """Health of the service."""

    async def get_health(
        self,
    ) -> GetHealthResponse:
        """Check that the service is running."""
        return await self._call(
            Call[GetHealthResponse](
                "GET",
                "/healthz",
            )
        )

    async def get_readiness(
        self,
    ) -> GetReadinessResponse:
        """Check that the service is ready. Succeeds when the service can commit changes. Otherwise the problem
        carries `ready: false` and `reasons`: each has the `code` of an error and a `detail`.
        """
        return await self._call(
            Call[GetReadinessResponse](
                "GET",
                "/readyz",
            )
        )

    async def get_service_status(
        self,
    ) -> GetServiceStatusResponse:
        """Get the status of a node. For operators: whether the node is ready, how long commits take and how many
        changes are waiting, the log and its witnesses, memory and disk. Covers the node that responds, since it
        started. `GET /metrics` has the same for monitoring.
        """
        return await self._call(
            Call[GetServiceStatusResponse](
                "GET",
                "/v1/vat/status",
            )
        )


class GeneratedDeputy(
    _Tokens,
    _Delegation,
    _Revocation,
    _Verification,
    _Actions,
    _Feedback,
    _Approvals,
    _Agents,
    _Reputation,
    _Trust,
    _Stats,
    _Webhooks,
    _Alerts,
    _Provenance,
    _Log,
    _Events,
    _Humans,
    _People,
    _Notifications,
    _Biometrics,
    _SignIn,
    _Signals,
    _Policies,
    _Access,
    _Keys,
    _Discovery,
    _Service,
):
    """One method for each operation, called as its operation id in snake_case."""

    _refusals: ClassVar[Mapping[str, type[Refusal]]] = REFUSALS


class GeneratedAsyncDeputy(
    _AsyncTokens,
    _AsyncDelegation,
    _AsyncRevocation,
    _AsyncVerification,
    _AsyncActions,
    _AsyncFeedback,
    _AsyncApprovals,
    _AsyncAgents,
    _AsyncReputation,
    _AsyncTrust,
    _AsyncStats,
    _AsyncWebhooks,
    _AsyncAlerts,
    _AsyncProvenance,
    _AsyncLog,
    _AsyncEvents,
    _AsyncHumans,
    _AsyncPeople,
    _AsyncNotifications,
    _AsyncBiometrics,
    _AsyncSignIn,
    _AsyncSignals,
    _AsyncPolicies,
    _AsyncAccess,
    _AsyncKeys,
    _AsyncDiscovery,
    _AsyncService,
):
    """One async method for each operation, called as its operation id in snake_case."""

    _refusals: ClassVar[Mapping[str, type[Refusal]]] = REFUSALS
