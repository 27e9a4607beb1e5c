// Package scenario reads and runs text test files about preemption. A file is a
// list of blocks, each a directive with its input and the output expected:
//
//	# A spent budget shields the least important pod: a is put back first.
//	cluster
//	node n1 cpu=4
//	pod a on=n1 prio=10 cpu=2 app=web
//	pod b on=n1 prio=20 cpu=2
//	pdb web app=web allowed=0
//	----
//
//	select node=n1 h prio=100 cpu=2
//	----
//	removed   a b  fits
//	reprieve  a    stays  (breaks web)
//	reprieve  b    goes: cpu 6/4
//	found     b    violations=0
//
// Lines that begin with # before a block say why. An empty line ends the output;
// a lone dot stands for an empty line of it. A word that begins with # ends a
// line early. Values with spaces stand in parentheses or quotes.
//
// # Objects
//
// Names are NAME or NAMESPACE/NAME; the namespace default goes without saying.
// Whatever is not a word below is a resource (cpu, memory, ephemeral-storage,
// pods, hugepages-SIZE, or a name with a slash) or else a label; label=KEY=VALUE
// is always a label. CPU is in cores, 4 or 500m; the others are in units, 3 or 8Gi.
//
//	node NAME cpu=4 pods=110 taint=KEY=VALUE:EFFECT unschedulable zone=a
//	pod NAME on=NODE prio=10 cpu=2 app=web start=5 uid=U group=G port=80/TCP@10.0.0.1
//	    terminating=preemption|other nominated=NODE policy=never selector=KEY=VALUE
//	    owner=KIND/NAME
//	    toleration=(key=K op=Exists value=V effect=NoSchedule)
//	pdb NAME allowed=1 disrupted=a,b app=web expr=(KEY In V,V) selector=empty|none
//	group NAME prio=10 mode=all|single parent=COMPOSITE
//	composite NAME prio=10 mode=all|single parent=COMPOSITE
//
// A node takes 110 pods unless it says otherwise; pods=unset leaves it unsaid. A
// pod without a start has not started, one without a uid has its name for one.
//
// # Directives
//
// Those that ask a question take release=1.36,1.38. Without it they ask every
// release, and show the answers apart only where they differ. H stands for the
// name of a pod of the cluster, or for the words of a pod that is not there.
//
//	cluster                the objects to start from, and the default evaluator;
//	                       prints what is wrong with them
//	update                 add|update node|pod …, set group|composite|pdb …,
//	                       remove KIND NAME, nominate POD NODE; prints errors
//	state                  the pods on each node and nominated to it
//	warnings               Cluster.Warnings
//	evaluator              how decisions are made, see below
//	select node=NODE H     victim selection on one node, step by step
//	preempt H              the decision
//	commit H               the decision, and carries it out on the cluster
//	examine H              the decision and what was found out on every node
//	explain H              Examination.Explain
//	message H              Examination.Message
//	gang NAME prio=10 …    the decision about a group of pods, see below
//	importance             the victims, the most important first
//	filter-pdb [POD …]     the victims split by the budgets, in the order given or
//	                       of importance
//	pick [ORDER …]         the choice between candidates: lines candidate NODE
//	                       violations=1, each followed by its pods
//	sampling               lines NODES percent=10 min=100: how many candidates
//	disruptions            lines budget expected=7 healthy=7 minAvailable=50%
//	simulate until=10m     what happens next, see below
//
// The lines of evaluator are:
//
//	spare [on=NODE] app=db         victims that Eligible refuses to evict
//	spare-young now=60 run=30      MinRunTime, in seconds
//	spare-near gap=10              PriorityGap
//	per-owner most=1               Accept by VictimsPerOwner
//	compare by=name|start          another order of importance
//	orders top-priority violations priority-sum pods start to-delete
//	victims by=best                the best set on each node, not the reprieve's
//	budgets are=exact|respected    counted exactly, or never violated
//	contrast                       says what kube-scheduler would have decided
//	sampling percent=40 min=2 offset=4
//	status NODE fits|unschedulable|unresolvable "REASON" …
//	filter near|apart app=db topology=zone reason="…" unresolvable deaf
//	                               wants such a pod, or none, in the node's domain;
//	                               deaf: does not hear of pods that come and go
//	filter fail at=prepare|begin|add|remove|fits pod=NAME node=NODE
//	filter calls                   prints every call; filter count, the fit tests
//	filter only                    leaves the default filters out
//	extender NAME uninterested ignorable fail="…" keep=n1,n2 drop=n1 order=n2,n1
//	    victims=(NODE POD …) violations=(NODE 3) extra=NODE
//
// # Gangs
//
// The members of a gang are the lines of its input. They have its priority unless
// they say otherwise; on=NODE is where they are placed. If none says so the placer
// is LeastAllocated.
//
//	gang NAME prio=10 min=2 policy=preempts|never planner=given|best message|explain
//	member POD on=NODE cpu=1 …
//
// The planner is GivenPlacement unless it is best: BestPlacement. With message or
// explain only GangResult.Message or Explain is printed.
//
// # Simulations
//
// What happens is printed line by line, then how it ends. With summary what people
// ask about afterwards comes behind, with only summary it comes alone. The lines
// of simulate are:
//
//	pending POD cpu=1 …        a pod that is queued at the start
//	arrive at=30s POD cpu=1 …  a pod that comes later
//	depart at=1m POD           the end of a pod, or of what took its place
//	budget NAME min=50% max=1  what the owner of a pdb of the cluster asks for
//	healthy after=10s app=web  how long such pods take; the last line that fits counts
//	gang NAME prio=10 min=2    pods that are scheduled together, the lines
//	member POD cpu=1 …         behind it
//
// # Laws
//
// Every question is put in several ways that must agree: by Preempt and by
// Examine, with one worker and with eight, of the cluster as updated and of one
// built afresh, with the pods in another order, through the composable functions
// and through the evaluator. Nothing shows of it unless they disagree; then a
// line says "<-- via …".
package scenario

// Disagreement begins a line of output that says that two ways to decide do not
// agree.
const Disagreement = "<-- via"
